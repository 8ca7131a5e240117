import { readFileSync } from 'node:fs';
import type { Access, ServiceEnv } from '@dramaturg/service';
import type { Hono } from 'hono';

const folder = new URL('../../../demo/', import.meta.url);

const policy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A file of the demonstration. */
export function demoFile(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

/** Adds the page of the demonstration to its service. */
export function mountPages(app: Hono<ServiceEnv>, access: Access, inspector: string): void {
  const allowed = access.permit('read', 'page');
  const pages = { '/': ['page.html', 'text/html'], '/page.js': ['page.js', 'text/javascript'] };
  for (const [path, [name, type]] of Object.entries(pages))
    app.get(path, allowed, (c) =>
      c.body(demoFile(name!), 200, {
        'content-type': `${type}; charset=utf-8`,
        'content-security-policy': policy,
      }),
    );
  app.get('/demo.json', allowed, (c) => c.json({ inspector }));
}
