import type { ServiceEnv } from '@dramaturg/service';
import type { Hono } from 'hono';

export type MountDesk = (app: Hono<ServiceEnv>) => void;

/** The page loads nothing from elsewhere, and no other page can frame it. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Names of assets contain a hash of their content. Everything else may be another file after an update. */
const [immutable, renewed] = ['public, max-age=31536000, immutable', 'no-cache'];

/**
 * Reads the page of operators. Its files are the same for everybody: the page asks for the token, and sends it with its requests.
 *
 * @returns a function that adds the page to a service
 */
export async function deskPage(): Promise<MountDesk> {
  const { readDesk } = await import('@dramaturg/desk');
  const files = await readDesk();
  const index = files.get('index.html')!;
  return (app) => {
    app.get('/desk/:path{.*}?', (c, next) => {
      const path = c.req.param('path') ?? '';
      // An address inside the page, such as /desk/conversations/intake-1, is the page itself.
      const file = files.get(path) ?? (path.startsWith('assets/') ? undefined : index);
      if (file === undefined) return next();
      return c.body(file.body, 200, {
        ...headers,
        'content-type': file.type,
        'cache-control': file.isImmutable ? immutable : renewed,
      });
    });
  };
}
