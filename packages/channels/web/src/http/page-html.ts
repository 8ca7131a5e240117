import type { PageConfig } from '../protocol.ts';
import type { PageFiles } from './page-files.ts';

/** The page of the chat. Its configuration is data: no script is in the text, so the content policy needs no exception. */
export function pageHtml(config: PageConfig, files: PageFiles): string {
  const { language, wording } = config;
  // No text of the configuration can end the element.
  const data = JSON.stringify(config).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="${escaped(language)}">
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

/** What the page may load and who may show it. Nothing comes from elsewhere. */
export function contentPolicy(origins: readonly string[]): string {
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
