import type { Exhibit, InspectorServer } from '@dramaturg/inspector/server';
import { outputTo } from '../output.ts';
import { UsageError } from '../usage-error.ts';

export interface PageOptions {
  /** False prints the address only. */
  readonly open?: boolean;
  readonly port?: number;
  readonly json?: true;
}

/** Serves the inspector's page, prints its address, and opens it in the browser. */
export async function showPage(
  exhibit: Exhibit,
  what: string,
  { open = true, port, json }: PageOptions,
): Promise<InspectorServer> {
  // Loaded here because most commands do not need it.
  const { openInBrowser, serveInspector } = await import('@dramaturg/inspector/server');
  const page = await serveInspector(exhibit, port === undefined ? {} : { port }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new UsageError(
        `The port ${port} is in use.`,
        'Choose another port, or leave out --port to use a free one.',
      );
    },
  );
  // Standard output is for the events of the run.
  const output = outputTo(json ? process.stdout : process.stderr);
  if (json) output.write(`${JSON.stringify({ type: 'ready', url: page.url })}\n`);
  else output.write(`${output.paint('green', '✓')} The inspector shows ${what}: ${page.url}\n`);
  if (open && process.stdout.isTTY) openInBrowser(page.url);
  return page;
}
