/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scripts only pass the command line to `fathom --complete` and the answer to the shell: all
 * shells complete the same, from the tables of the program that is called.
 */
#include "cli/completion.h"

#include <errno.h>

#include "base/str.h"

/* clang-format off */
static const char bash[] =
	"# bash completion for fathom\n"
	"# Completes the command that starts at offset $1 of the line.\n"
	"_fathom_command()\n"
	"{\n"
	"\tlocal i rest=$COMP_LINE\n"
	"\tfor ((i = 0; i < COMP_CWORD; i++)); do\n"
	"\t\trest=${rest#\"${rest%%[![:space:]]*}\"}\n"
	"\t\t((${#COMP_LINE} - ${#rest} < $1)) || break\n"
	"\t\trest=${rest#\"${COMP_WORDS[i]}\"}\n"
	"\tdone\n"
	"\tif declare -F _comp_command_offset >/dev/null; then\n"
	"\t\t_comp_command_offset \"$i\"\n"
	"\telif declare -F _command_offset >/dev/null; then\n"
	"\t\t_command_offset \"$i\"\n"
	"\telse\n"
	"\t\tcompopt -o default\n"
	"\tfi\n"
	"}\n"
	"_fathom()\n"
	"{\n"
	"\tlocal fathom=$1 kind word prefix value strip\n"
	"\tlocal -a out found\n"
	"\ttype -P \"$fathom\" >/dev/null || fathom=fathom\n"
	"\tmapfile -t out < <(\"$fathom\" --complete line \"$COMP_LINE\" \"$COMP_POINT\" 2>/dev/null)\n"
	"\tkind=${out[0]-} word=${out[1]-} prefix=${out[2]-}\n"
	"\tvalue=${word#\"$prefix\"}\n"
	"\tcase $kind in\n"
	"\twords) found=(\"${out[@]:3}\") found=(\"${found[@]%%$'\\t'*}\") ;;\n"
	"\trecording) mapfile -t found < <(compgen -d -- \"$value\"; compgen -f -X '!*.dat' -- \"$value\") ;;\n"
	"\tfile) mapfile -t found < <(compgen -f -- \"$value\") ;;\n"
	"\tdirectory) mapfile -t found < <(compgen -d -- \"$value\") ;;\n"
	"\tprogram) mapfile -t found < <(compgen -c -- \"$value\") ;;\n"
	"\tcommand\\ *)\n"
	"\t\t_fathom_command \"${kind#command }\"\n"
	"\t\treturn\n"
	"\t\t;;\n"
	"\tesac\n"
	"\tif [[ $kind != words ]]; then\n"
	"\t\tcompopt -o filenames\n"
	"\t\tfound=(\"${found[@]/#/\"$prefix\"}\")\n"
	"\tfi\n"
	"\t# Only what follows the last ':' or '=' is replaced.\n"
	"\tstrip=${2#[\\\"\\']}\n"
	"\t[[ $word == *\"$strip\" ]] && strip=${word%\"$strip\"} || strip=\n"
	"\tCOMPREPLY=(\"${found[@]#\"$strip\"}\")\n"
	"\tif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:,_] ]]; then\n"
	"\t\tcompopt -o nospace\n"
	"\tfi\n"
	"}\n"
	"complete -F _fathom fathom\n";

static const char zsh[] =
	"#compdef fathom\n"
	"# zsh completion for fathom\n"
	"_fathom()\n"
	"{\n"
	"\tlocal fathom=${${(Q)words[1]}/#\\~\\//$HOME/} line name kind prefix\n"
	"\tlocal -a out full open shown\n"
	"\t(( $+commands[$fathom] )) || [[ -x $fathom ]] || fathom=fathom\n"
	"\tout=(\"${(@f)$(\"$fathom\" --complete words \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
	"\tkind=$out[1] prefix=$out[3]\n"
	"\tif [[ $kind != words && -n $prefix ]]; then\n"
	"\t\tcompset -P \"${(b)prefix}\"\n"
	"\tfi\n"
	"\tcase $kind in\n"
	"\twords)\n"
	"\t\tfor line in \"${(@)out[4,-1]}\"; do\n"
	"\t\t\tname=${line%%$'\\t'*}\n"
	"\t\t\tif [[ $name == *[=:,_] ]]; then\n"
	"\t\t\t\topen+=(\"$name\")\n"
	"\t\t\telif [[ -n $name ]]; then\n"
	"\t\t\t\tfull+=(\"$name\")\n"
	"\t\t\t\tshown+=(\"$name${${line#*$'\\t'}:+  -- ${line#*$'\\t'}}\")\n"
	"\t\t\tfi\n"
	"\t\tdone\n"
	"\t\tcompadd -S '' -a open\n"
	"\t\tif [[ \"$shown\" == *'  -- '* ]]; then\n"
	"\t\t\tcompadd -l -d shown -a full\n"
	"\t\telse\n"
	"\t\t\tcompadd -a full\n"
	"\t\tfi\n"
	"\t\t;;\n"
	"\trecording) _files -g '*.dat(-.)' ;;\n"
	"\tfile) _files ;;\n"
	"\tdirectory) _files -/ ;;\n"
	"\tprogram) _command_names -e ;;\n"
	"\tcommand\\ *)\n"
	"\t\tshift $(( ${kind#command } + 1 )) words\n"
	"\t\t(( CURRENT -= ${kind#command } + 1 ))\n"
	"\t\t_normal\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"_fathom \"$@\"\n";

static const char fish[] =
	"# fish completion for fathom\n"
	"function __fathom_complete\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l out ($words[1] --complete words $words[2..-1] (commandline -ct | string replace -r '^[\\'\"]' '') 2>/dev/null)\n"
	"\tset -l value (string sub -s (math (string length -- \"$out[3]\") + 1) -- \"$out[2]\")\n"
	"\tswitch \"$out[1]\"\n"
	"\t\tcase words\n"
	"\t\t\ttest (count $out) -lt 4; or printf '%s\\n' $out[4..-1]\n"
	"\t\tcase recording\n"
	"\t\t\tfor path in (__fish_complete_suffix \"$value\" .dat)\n"
	"\t\t\t\tstring match -rq '(\\.dat|/)(\\t|$)' -- $path; and echo -- $out[3]$path\n"
	"\t\t\tend\n"
	"\t\tcase file\n"
	"\t\t\tfor path in (__fish_complete_path \"$value\")\n"
	"\t\t\t\techo -- $out[3]$path\n"
	"\t\t\tend\n"
	"\t\tcase directory\n"
	"\t\t\tfor path in (__fish_complete_directories \"$value\" '')\n"
	"\t\t\t\techo -- $out[3]$path\n"
	"\t\t\tend\n"
	"\t\tcase program\n"
	"\t\t\tcomplete -C -- \"$value\"\n"
	"\t\tcase 'command *'\n"
	"\t\t\tset -l first (math (string replace 'command ' '' -- $out[1]) + 2)\n"
	"\t\t\tcomplete -C -- (string join ' ' -- (string escape -- $words[$first..-1]) (commandline -ct))\n"
	"\tend\n"
	"end\n"
	"complete -c fathom -f -a '(__fathom_complete)'\n";
/* clang-format on */

int completion_print(const char *shell, FILE *f)
{
	const char *script = str_eq(shell, "bash") ? bash :
			     str_eq(shell, "zsh")  ? zsh :
			     str_eq(shell, "fish") ? fish :
						     NULL;

	if (!script)
		return -EINVAL;
	fputs(script, f);
	return 0;
}
