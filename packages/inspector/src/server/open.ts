import { spawn } from 'node:child_process';

/** Opens an address in the local browser. Does nothing without a browser. */
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
