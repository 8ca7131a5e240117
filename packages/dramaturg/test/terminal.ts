import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { environment, examples } from './command.ts';
import { until } from './host-cli/processes.ts';

const bin = fileURLToPath(new URL('../bin/dramaturg.js', import.meta.url));

/** Whether `script` of util-linux is there, which gives a command a pseudo terminal. */
export const hasTerminal =
  process.platform === 'linux' &&
  /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

/** The command on a pseudo terminal. */
export class OnTerminal {
  readonly exit: Promise<number | null>;
  /** With the sequences that move the cursor. */
  raw = '';
  readonly #child: ChildProcessWithoutNullStreams;
  #hasEnded = false;
  /** The length of the text when a line was typed last. */
  #answeredAt = 0;

  constructor(
    args: readonly string[],
    {
      columns = 80,
      cwd = examples,
      program = bin,
    }: { readonly columns?: number; readonly cwd?: string; readonly program?: string } = {},
  ) {
    const words = [process.execPath, program, ...args].map(
      (word) => `'${word.replaceAll("'", "'\\''")}'`,
    );
    const command = `stty cols ${columns} rows 24; exec ${words.join(' ')}`;
    this.#child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: environment({ TERM: 'xterm', SHELL: '/bin/sh', TZ: 'UTC' }),
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.raw += text));
    this.exit = new Promise((resolve) =>
      this.#child.on('close', (code) => {
        this.#hasEnded = true;
        resolve(code);
      }),
    );
    // A command that has ended already does not read its input.
    this.#child.stdin.on('error', () => {});
    onTestFinished(async () => {
      if (!this.#hasEnded) this.#child.kill('SIGTERM');
      await this.exit;
    });
  }

  /** Everything that was printed, without colours and cursor movements. */
  get text(): string {
    return stripVTControlCharacters(this.raw).replaceAll('\r\n', '\n');
  }

  /** The lines as they are on the screen in the end: a line that was removed is gone. */
  get lines(): string[] {
    return this.raw
      .split(/\r+\n/)
      .map((line) => stripVTControlCharacters(line.split(erasing).at(-1)!));
  }

  /** Resolves when the text has been printed, after what was there before. */
  async says(text: string, after = 0): Promise<void> {
    const printed = () => this.text.slice(after);
    await until(() => printed().includes(text) || this.#hasEnded).catch(() => {
      throw new Error(`It has not said ${text}: ${this.text}`);
    });
    if (!printed().includes(text))
      throw new Error(`It has ended without saying ${text}: ${this.text}`);
  }

  /** Waits for a prompt that was printed since the last answer, and types a line. */
  async answer(prompt: string, line: string): Promise<void> {
    await this.says(prompt, this.#answeredAt);
    this.#answeredAt = this.text.length;
    this.press(`${line}\r`);
  }

  press(key: string): void {
    this.#child.stdin.write(key);
  }
}

// oxlint-disable-next-line no-control-regex -- The sequences with which a line is erased.
const erasing = /\r\u001B\[[KJ]|\u001B\[1G\u001B\[0J/;
