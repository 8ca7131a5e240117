/** Milliseconds between two lines when the output is not a terminal. */
const pause = 10_000;

let lastLineAt = performance.now();

/** Shows the current step. */
export function showProgress(step: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001B[K${step}`);
  } else if (performance.now() - lastLineAt >= pause) {
    process.stderr.write(`${step}\n`);
    lastLineAt = performance.now();
  }
}

/** Clears the line before the results are printed. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
}
