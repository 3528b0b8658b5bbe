/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/completion.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "cli/kit/command.h"

/* Calls @put for every option of @command, the common ones last. */
static void each_option(const struct command *command, FILE *f,
			void (*put)(const struct command *command, const struct option_def *def,
				    FILE *f))
{
	for (const struct option_def *d = command->options; d->kind != OPTION_END; d++)
		put(command, d, f);
	for (const struct option_def *d = common_options; d->kind != OPTION_END; d++)
		put(command, d, f);
}

/* Text inside single quotes, for all three shells: ' becomes '\''. */
static void completion_put_quoted(const char *text, const char *also_escape, FILE *f)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", f);
			continue;
		}
		if (strchr(also_escape, *text))
			fputc('\\', f);
		fputc(*text, f);
	}
}

/* The words that an operand may be; false: operands are file names. */
static bool put_operands(const struct command *command, FILE *f)
{
	if (command->operand_words != OPERANDS_ARE_COMMANDS) {
		fputs(command->operand_words ?: "", f);
		return command->operand_words;
	}
	for (size_t i = 0; commands[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", commands[i]->name);
	return true;
}

static void put_bash_words(const struct command *command, const struct option_def *def, FILE *f)
{
	if (def->letter)
		fprintf(f, " -%c", def->letter);
	if (def->name)
		fprintf(f, " --%s%s", def->name, def->arg ? "=" : "");
}

static void put_bash_choices(const struct command *command, const struct option_def *def, FILE *f)
{
	if (def->choices)
		fprintf(f, "\t%s:--%s) words='%s' ;;\n", command->name, def->name, def->choices);
}

static void print_bash(FILE *f)
{
	fputs("# bash completion for fathom; made from its option tables\n"
	      "_fathom()\n"
	      "{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal cmd=${COMP_WORDS[1]} words='' files=''\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\tcmd=''\n"
	      "\tfi\n"
	      "\t# bash splits --name=value at the sign\n"
	      "\tif [ \"$cur\" = '=' ]; then\n"
	      "\t\tcur=''\n"
	      "\telif [ \"$prev\" = '=' ]; then\n"
	      "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfi\n"
	      "\tcase \"$cmd\" in\n"
	      "\t'') words='--help --version",
	      f);
	for (size_t i = 0; commands[i]; i++)
		fprintf(f, " %s", commands[i]->name);
	fputs("' ;;\n", f);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(f, "\t%s)\n\t\tif [[ $cur == -* ]]; then\n\t\t\twords='",
			commands[i]->name);
		each_option(commands[i], f, put_bash_words);
		fputs("'\n\t\telse\n\t\t\twords='", f);
		fputs(put_operands(commands[i], f) ? "'" : "' files=yes", f);
		fputs("\n\t\tfi ;;\n", f);
	}
	fputs("\tesac\n\tcase \"$cmd:$prev\" in\n", f);
	for (size_t i = 0; commands[i]; i++)
		each_option(commands[i], f, put_bash_choices);
	fputs("\tesac\n"
	      "\tif [ -z \"$words\" ] && [ -n \"$files\" ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	      "\telse\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	      "\t\t[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
	      "\tfi\n"
	      "\treturn 0\n"
	      "}\n"
	      "complete -o filenames -F _fathom fathom\n",
	      f);
}

static void put_zsh_option(const struct command *command, const struct option_def *def, FILE *f)
{
	/* (exclusions){forms}[help]:argument:choices */
	for (int form = 0; form < 2; form++) {
		if (form == 0 ? !def->letter : !def->name)
			continue;
		fputs("\t\t\t'", f);
		if (form == 0)
			fprintf(f, "-%c", def->letter);
		else
			fprintf(f, "--%s%s", def->name, def->arg ? "=" : "");
		fputc('[', f);
		completion_put_quoted(def->help, "[]:", f);
		fputc(']', f);
		if (def->arg) {
			fprintf(f, ":%s:", def->arg);
			if (def->choices)
				fprintf(f, "(%s)", def->choices);
			else
				fputs("_files", f);
		}
		fputs("' \\\n", f);
	}
}

static void print_zsh(FILE *f)
{
	fputs("#compdef fathom\n"
	      "# zsh completion for fathom; made from its option tables\n"
	      "_fathom()\n"
	      "{\n"
	      "\tlocal -a fathom_commands\n"
	      "\tif (( CURRENT == 2 )); then\n"
	      "\t\tfathom_commands=(\n",
	      f);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(f, "\t\t\t'%s:", commands[i]->name);
		completion_put_quoted(commands[i]->summary, ":", f);
		fputs("'\n", f);
	}
	fputs("\t\t)\n"
	      "\t\t_describe command fathom_commands\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tshift words\n"
	      "\t(( CURRENT-- ))\n"
	      "\tcase $words[1] in\n",
	      f);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(f, "\t%s)\n\t\t_arguments \\\n", commands[i]->name);
		each_option(commands[i], f, put_zsh_option);
		fputs("\t\t\t'*:", f);
		if (commands[i]->operand_words) {
			fputs("operand:(", f);
			put_operands(commands[i], f);
			fputs(")' ;;\n", f);
		} else {
			fputs("file:_files' ;;\n", f);
		}
	}
	fputs("\tesac\n}\n_fathom \"$@\"\n", f);
}

static void put_fish_option(const struct command *command, const struct option_def *def, FILE *f)
{
	fprintf(f, "complete -c fathom -n '__fish_seen_subcommand_from %s'", command->name);
	if (def->letter)
		fprintf(f, " -s %c", def->letter);
	if (def->name)
		fprintf(f, " -l %s", def->name);
	if (def->choices)
		fprintf(f, " -x -a '%s'", def->choices);
	else if (def->arg)
		fputs(" -r", f);
	fputs(" -d '", f);
	completion_put_quoted(def->help, "", f);
	fputs("'\n", f);
}

static void print_fish(FILE *f)
{
	fputs("# fish completion for fathom; made from its option tables\n", f);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(f, "complete -c fathom -f -n __fish_use_subcommand -a %s -d '",
			commands[i]->name);
		completion_put_quoted(commands[i]->summary, "", f);
		fputs("'\n", f);
		if (commands[i]->operand_words) {
			fprintf(f, "complete -c fathom -f -n '__fish_seen_subcommand_from %s' -a '",
				commands[i]->name);
			put_operands(commands[i], f);
			fputs("'\n", f);
		}
		each_option(commands[i], f, put_fish_option);
	}
}

int completion_print(const char *shell, FILE *f)
{
	if (str_eq(shell, "bash"))
		print_bash(f);
	else if (str_eq(shell, "zsh"))
		print_zsh(f);
	else if (str_eq(shell, "fish"))
		print_fish(f);
	else
		return -EINVAL;
	return 0;
}
