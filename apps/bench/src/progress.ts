/** Milliseconds between two lines where nobody watches a terminal. */
const pause = 10_000;

let lastLineAt = performance.now();

/** Shows what is being done. */
export function tell(doing: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001B[K${doing}`);
  } else if (performance.now() - lastLineAt >= pause) {
    process.stderr.write(`${doing}\n`);
    lastLineAt = performance.now();
  }
}

/** The results come next. */
export function tellNothing(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
}
