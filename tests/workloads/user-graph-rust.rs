// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a file and has it on the disk, as user-graph.c does; see tests/golden/README.md. It is built under the name "app".
use std::fs::File;
use std::io::Write;

#[inline(never)]
fn sum_to(n: u64) -> u64 {
    (1..=n).fold(0, |sum, i| std::hint::black_box(sum + i))
}

#[inline(never)]
fn save(path: &str, text: &str) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or("out".to_string());
    save(&path, &format!("{}\n", sum_to(100))).unwrap();
}
