import { visible } from '@dramaturg/compiler';
import { outputTo } from '../../output.ts';

/** Milliseconds after which somebody at a terminal wonders, and somebody who reads a log later. */
const quiet = { terminal: 1_000, log: 5_000 };

/** Says on standard error that a store is being opened, when that takes a while. */
export async function whileOpening<Value>(folder: string, opening: Promise<Value>): Promise<Value> {
  const { isTerminal, write, paint } = outputTo(process.stderr);
  const begun = Date.now();
  let isShown = false;
  const tell = () => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    const text = `Opening the store "${visible(folder)}"`;
    if (isTerminal) write(`\r${paint('dim', `${text} (${seconds} s) ...`)}`);
    else if (!isShown) write(`${text} ...\n`);
    isShown = true;
  };
  const timer = setInterval(tell, isTerminal ? quiet.terminal : quiet.log);
  try {
    return await opening;
  } finally {
    clearInterval(timer);
    if (isShown && isTerminal) write('\r\u001B[K');
  }
}
