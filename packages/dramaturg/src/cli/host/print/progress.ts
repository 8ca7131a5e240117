import { outputTo } from '../../output.ts';

/** Milliseconds between two changes of the line. */
const intervalMs = 200;

/** A line on standard error that shows the progress of long work. It appears only on a terminal. */
export function progressOf<Step extends string>(titles: Readonly<Record<Step, string>>) {
  const { isTerminal, write, paint } = outputTo(process.stderr);
  let shownAt = Date.now();
  let isShown = false;
  return {
    show: (step: Step, done: number, all: number) => {
      const now = Date.now();
      if (!isTerminal || now - shownAt < intervalMs) return;
      shownAt = now;
      isShown = true;
      const count = `${done.toLocaleString('en')} of ${all.toLocaleString('en')} records`;
      write(`\r\u001B[K${paint('dim', `${titles[step]} ${count} ...`)}`);
    },
    /** Removes the line. */
    end: () => {
      if (isShown) write('\r\u001B[K');
      isShown = false;
    },
  };
}
