/**
 * An npm registry that serves the packed packages, and takes the documents of all others from the real registry. It is a
 * process of its own, because the tests block while a package manager runs. Prints its address.
 *
 *     node .config/packed/registry.ts <file with the packages> <address of the real registry>
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A package that the registry has. */
export interface Published {
  readonly manifest: { readonly name: string; readonly version: string };
  /** Its tarball. */
  readonly file: string;
}

const [list = '', others = ''] = process.argv.slice(2);
const packages = JSON.parse(readFileSync(list, 'utf8')) as readonly Published[];

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.writeHead(502).end(String(error));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

async function answer(
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = decodeURIComponent(url.slice(1).split('?', 1)[0]!);
  const described = packages.find(({ manifest }) => manifest.name === name);
  const packed = packages.find((each) => tarballName(each) === name);
  if (described) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(documentOf(described, `http://${headers.host}/`)));
  } else if (packed) response.end(readFileSync(packed.file));
  // Not a redirect: npm does not find redirected documents in its cache.
  else await passOn(new URL(url.slice(1), others), headers.accept, response);
}

async function passOn(
  from: URL,
  accept: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, body } = await fetch(from, { headers: { accept: accept ?? '*/*' } });
  const kept = ['content-type', 'cache-control', 'etag', 'last-modified'];
  response.writeHead(
    status,
    Object.fromEntries([...headers].filter(([name]) => kept.includes(name))),
  );
  if (body) await pipeline(body, response);
  else response.end();
}

/** The document that a registry has of a package with a single version. */
function documentOf({ manifest, file }: Published, address: string): object {
  const { name, version } = manifest;
  const digest = createHash('sha512').update(readFileSync(file)).digest('base64');
  const tarball = `${address}${tarballName({ manifest, file })}`;
  // An old date, because package managers can refuse versions of the last few days.
  const published = '2026-01-01T00:00:00.000Z';
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball, integrity: `sha512-${digest}` } } },
    time: { created: published, modified: published, [version]: published },
  };
}

function tarballName({ manifest: { name, version } }: Published): string {
  return `${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
}
