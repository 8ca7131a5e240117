import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moment, preloadAt } from '../moment.ts';
import { terminalSvg } from '../terminal-svg.ts';
import { type Screen, type Stage, viewsOf } from '../view.ts';

const root = join(import.meta.dirname, '../../../..');
const command = join(root, 'packages/dramaturg/bin/dramaturg.js');

const mistakes = 'with-mistakes.plan.json';

/** What commands write to a terminal of 100 columns. */
export async function openTerminal(folder: string, store: string): Promise<Stage> {
  const commands: readonly (readonly [subject: string, screen: Screen, args: readonly string[]])[] =
    [
      ['terminal-check', '1280-dark', ['check', mistakes]],
      ['terminal-ps', '1280-light', ['ps', store, '--all']],
      ['terminal-logs', '1280-dark', ['logs', store, 'support-maria']],
    ];
  await copyFile(join(root, 'docs/examples', mistakes), join(folder, mistakes));
  return {
    views: commands.flatMap(([subject, screen, args]) =>
      viewsOf(subject, [screen], async (page) => {
        const svg = terminalSvg(await written(folder, args));
        await page.setContent(
          `<!doctype html><html lang="en"><title>${subject}</title><main>${svg}</main></html>`,
        );
        return page.locator('svg');
      }),
    ),
    close: async () => {},
  };
}

function written(cwd: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, FORCE_COLOR: '1', NO_COLOR: undefined, TZ: 'UTC' };
  const all = ['--import', preloadAt(moment, 100), command, ...args];
  return new Promise((resolve, reject) => {
    // A command that finds mistakes ends with a code of its own.
    execFile(process.execPath, all, { cwd, env }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else if (stdout + stderr === '')
        reject(new Error(`dramaturg ${args.join(' ')} wrote nothing.`));
      else resolve(stdout + stderr);
    });
  });
}
