import { spawn } from 'node:child_process';

/** Opens an address in the browser of whoever sits here. Where there is none, nothing happens. */
export function openInBrowser(url: string): void {
  const [command, ...args]: [string, ...string[]] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
        : ['xdg-open', url];
  const opened = spawn(command, args, { stdio: 'ignore', detached: true });
  opened.on('error', () => {});
  opened.unref();
}
