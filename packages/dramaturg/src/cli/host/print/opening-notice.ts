import { visible } from '@dramaturg/compiler/text';
import { outputTo } from '../../output.ts';

/** Milliseconds without output before the notice: a person at a terminal wonders sooner than the reader of a log. */
const quietMs = { terminal: 1_000, log: 5_000 };

/** Prints a notice on standard error while a store is being opened, if that takes long. */
export async function withOpeningNotice<Value>(
  folder: string,
  opening: Promise<Value>,
): Promise<Value> {
  const { isTerminal, write, paint } = outputTo(process.stderr);
  const begun = Date.now();
  let isShown = false;
  const notify = () => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    const text = `Opening the store "${visible(folder)}"`;
    if (isTerminal) write(`\r${paint('dim', `${text} (${seconds} s) ...`)}`);
    else if (!isShown) write(`${text} ...\n`);
    isShown = true;
  };
  const timer = setInterval(notify, isTerminal ? quietMs.terminal : quietMs.log);
  try {
    return await opening;
  } finally {
    clearInterval(timer);
    if (isShown && isTerminal) write('\r\u001B[K');
  }
}
