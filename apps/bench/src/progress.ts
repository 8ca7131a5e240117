import { ProgressLine } from '@dramaturg/test-servers';

const line = new ProgressLine();

/** Shows the current step, with the remaining time if the amounts of done and of all work are known. */
export function showProgress(step: string, done?: number, all?: number): void {
  line.show(step, done, all);
}

/** Clears the line before the results are printed. */
export function clearProgress(): void {
  line.clear();
}
