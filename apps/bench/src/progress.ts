/** Milliseconds between two lines when the output is not a terminal. */
const pause = 10_000;

let lastLineAt = performance.now();

/** Shows the current step. */
export function tell(doing: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001B[K${doing}`);
  } else if (performance.now() - lastLineAt >= pause) {
    process.stderr.write(`${doing}\n`);
    lastLineAt = performance.now();
  }
}

/** Clears the line before the results are printed. */
export function tellNothing(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
}
