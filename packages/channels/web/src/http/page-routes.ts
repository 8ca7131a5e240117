import type { CheckedOptions } from '../options.ts';
import type { LauncherConfig, PageConfig } from '../protocol.ts';
import { defaultWording } from '../wording.ts';
import { ChatError } from './chat-error.ts';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The placeholder for the configuration in the built launcher. */
const launcherConfigName = 'dramaturgLauncherConfig';

/** Serves the page and the launcher. */
export class PageRoutes {
  readonly #options: CheckedOptions;
  #files: Promise<PageFiles> | undefined;

  constructor(options: CheckedOptions) {
    this.#options = options;
  }

  /** @param files whether visitors can send files */
  async page(definition: string, files: boolean): Promise<Response> {
    const { language, accent, origins, greet } = this.#options;
    const config: PageConfig = {
      definition,
      wording: this.#wording,
      language,
      accent,
      origins,
      greet,
      files,
    };
    return new Response(pageHtml(config, await this.#read()), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentPolicy(origins),
        'referrer-policy': 'same-origin',
        'cache-control': 'no-cache',
      },
    });
  }

  /** A file of the page. @throws ChatError with the status 404 */
  async file(name: string, version: string | null): Promise<Response> {
    const files = await this.#read();
    if (name === 'embed.js') return this.#launcher(files[name]);
    if (name !== 'chat.js' && name !== 'chat.css')
      throw new ChatError(404, 'request/unknown', 'The chat has no such address.');
    const file = files[name];
    const isImmutable = version === file.version;
    return new Response(file.text, {
      headers: {
        'content-type': `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
        'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    });
  }

  #launcher({ text }: PageFile): Response {
    const { open, close, title, unread } = this.#wording;
    const { accent } = this.#options;
    const config: LauncherConfig = { accent, wording: { open, close, title, unread } };
    return new Response(
      text.replace(launcherConfigName, () => JSON.stringify(config)),
      {
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'public, max-age=300',
          // Allows loading by sites that isolate themselves.
          'cross-origin-resource-policy': 'cross-origin',
        },
      },
    );
  }

  get #wording() {
    return { ...defaultWording, ...this.#options.wording };
  }

  #read(): Promise<PageFiles> {
    this.#files ??= readPageFiles();
    return this.#files;
  }
}

/** The page of the chat. Its configuration is data and not a script, so the content policy needs no exception. */
function pageHtml(config: PageConfig, files: PageFiles): string {
  const { language, wording } = config;
  // No string in the configuration can end the element.
  const data = JSON.stringify(config).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="${escaped(language)}" dir="${rightToLeft.test(language) ? 'rtl' : 'ltr'}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(wording.title)}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="chat.css?v=${files['chat.css'].version}" />
  </head>
  <body>
    <div id="chat"></div>
    <noscript>${escaped(wording.title)}: JavaScript</noscript>
    <script type="application/json" id="config">${data}</script>
    <script src="chat.js?v=${files['chat.js'].version}"></script>
  </body>
</html>
`;
}

/** Languages that are written from right to left. */
const rightToLeft = /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)\b(?!-latn)|-(arab|hebr)\b/i;

/** The sources that the page may load from, and the sites that may show it. Nothing comes from elsewhere. */
function contentPolicy(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...origins].join(' ')}`,
  ].join('; ');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A built file of the page. */
interface PageFile {
  readonly text: string;
  /** Changes when the file changes. */
  readonly version: string;
}

const names = ['chat.js', 'chat.css', 'embed.js'] as const;

type PageFiles = Readonly<Record<(typeof names)[number], PageFile>>;

/**
 * Reads the built files of the page. No other file is served.
 *
 * @throws Error when the page has not been built
 */
async function readPageFiles(): Promise<PageFiles> {
  const files = await Promise.all(names.map(async (name) => [name, await readPageFile(name)]));
  return Object.fromEntries(files) as PageFiles;
}

async function readPageFile(name: string): Promise<PageFile> {
  // The path is the same from the sources and from dist.
  const place = new URL(`../../dist/page/${name}`, import.meta.url);
  try {
    const text = await readFile(place, 'utf8');
    return { text, version: createHash('sha256').update(text).digest('hex').slice(0, 16) };
  } catch (cause) {
    throw new Error('The page of the web chat has not been built: npm run build.', { cause });
  }
}
