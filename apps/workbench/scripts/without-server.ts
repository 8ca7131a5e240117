/**
 * Makes the static build work from a folder too, without a server. Browsers do not load modules for a page that was opened
 * from a file. Such a page loads one plain script instead, which contains all modules as texts, turns them into blobs, and
 * adds an import map that points to the blobs. Served by a server, the page works as Storybook built it.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { init, parse } from 'es-module-lexer';

const dist = join(import.meta.dirname, '../dist');

/** The scheme of module names in a page that was opened from a file. */
const scheme = 'workbench:/';

await init;

for (const page of [
  { name: 'index', modules: ['sb-manager/*.js', 'sb-addons/**/*.js'] },
  { name: 'iframe', modules: ['vite-inject-mocker-entry.js', 'assets/*.js'] },
]) {
  const ids = page.modules.flatMap((pattern) => globSync(pattern, { cwd: dist })).toSorted();
  const modules = Object.fromEntries(
    // Workers are separate scripts. Without workers, the page lays out charts itself.
    ids.filter((id) => !/elk-worker/.test(id)).map((id) => [id, renamed(id)]),
  );
  const answers = Object.fromEntries(
    ['index.json', 'project.json'].map((file) => [file, readFileSync(join(dist, file), 'utf8')]),
  );
  writeFileSync(join(dist, `${page.name}.file.js`), loader(modules, answers));
  const path = join(dist, `${page.name}.html`);
  writeFileSync(path, withLoader(readFileSync(path, 'utf8'), `./${page.name}.file.js`));
}

/** Rewrites the imports of a module to module names, and `import.meta` to the address that it has on a server. */
function renamed(id: string): string {
  const text = readFileSync(join(dist, id), 'utf8');
  const [imports] = parse(text, id);
  let result = '';
  let end = 0;
  for (const { n: specifier, s: from, e: to, d: kind } of imports) {
    const isMeta = kind === -2;
    const isOurs = specifier !== undefined && /^\.{0,2}\//.test(specifier);
    if (!isMeta && !isOurs) continue;
    const address = isMeta
      ? `({ url: new URL(${JSON.stringify(id)}, document.baseURI).href })`
      : scheme + posix.join(posix.dirname(id), specifier!);
    // The range of an import() includes the quotes; the range of other imports does not.
    const isQuoted = kind > -1;
    result += text.slice(end, from) + (isQuoted ? JSON.stringify(address) : address);
    end = to;
  }
  return result + text.slice(end);
}

/** The plain script. It runs while the page is parsed, before the first module is requested. */
function loader(
  modules: Readonly<Record<string, string>>,
  answers: Readonly<Record<string, string>>,
): string {
  return `(() => {
  const modules = ${JSON.stringify(modules)};
  const answers = ${JSON.stringify(answers)};
  const imports = {};
  for (const [id, text] of Object.entries(modules))
    imports['${scheme}' + id] = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const map = document.createElement('script');
  map.type = 'importmap';
  map.textContent = JSON.stringify({ imports });
  document.currentScript.after(map);
  const ask = globalThis.fetch;
  globalThis.fetch = (asked, ...rest) => {
    const name = String(asked.url ?? asked).split(/[?#]/)[0].split('/').at(-1);
    return Object.hasOwn(answers, name) ? Promise.resolve(new Response(answers[name])) : ask(asked, ...rest);
  };
})();
`;
}

/** Rewrites a page so that it checks whether it was opened from a file before it loads modules. */
function withLoader(html: string, path: string): string {
  const entries: string[] = [];
  const rest = html
    .replace(/ crossorigin(?=[ >])/g, '')
    .replace(/<link[^>]* rel="modulepreload"[^>]*>\s*/g, '')
    .replace(
      /<script type="module"([^>]*)>([\s\S]*?)<\/script>/g,
      (_, attributes: string, body: string) => {
        const source = /src="([^"]+)"/.exec(attributes)?.[1];
        entries.push(source === undefined ? body : `import ${JSON.stringify(source)};`);
        return `<script>workbenchModule(${entries.length - 1})</script>`;
      },
    );
  const texts = entries.map((text) => [
    text,
    text.replace(
      /import\s*(['"])\.\/([^'"]+)\1/g,
      (_, quote: string, id: string) => `import ${quote}${scheme}${id}${quote}`,
    ),
  ]);
  const head = `<script>
      const workbenchModules = ${JSON.stringify(texts).replaceAll('</', '<\\/')};
      const isFile = location.protocol === 'file:';
      if (isFile) document.write('<script src="${path}"></' + 'script>');
      function workbenchModule(index) {
        document.write('<script type="module">' + workbenchModules[index][isFile ? 1 : 0] + '</' + 'script>');
      }
    </script>`;
  return rest.replace(/<head>/, `<head>${head}`);
}
