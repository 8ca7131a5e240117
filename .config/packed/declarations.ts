import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.ts';

/**
 * Emits the declarations of functions that return what the host returns, in a project that pnpm has installed. A type that
 * `dramaturg` does not export cannot be named there (TS2742), because pnpm hides indirect dependencies.
 */
export function emitDeclarations(project: string): void {
  const methods = Object.entries({ host: 'Host', 'instance-reader': 'InstanceReader' }).flatMap(
    ([file, name]) => {
      const text = readFileSync(join(root, `packages/host/dist/host/${file}.d.ts`), 'utf8');
      const body =
        new RegExp(String.raw`^export declare class ${name}\b.*?^\}`, 'ms').exec(text)?.[0] ?? '';
      return [...body.matchAll(/^ {4}(\w+)(?:<.*>)?\(/gm)].map(([, method]) => method!);
    },
  );
  const results = [...new Set(methods)]
    .filter((name) => name !== 'constructor')
    .map((name) => `${name}: (...given: Parameters<Host['${name}']>) => host.${name}(...given),`);
  if (results.length < 40) throw new Error(`The host has ${results.length} methods.`);
  writeFileSync(
    join(project, 'declared.ts'),
    `import { check, compile, createHost, type Host, hosted, type HostedDefinition, memoryStore, placesIn, understudyPorts } from 'dramaturg';
     const host = await createHost({ store: memoryStore(), ports: understudyPorts() });
     export const results = { ${results.join('\n')} };
     export const checked = check('id: x');
     export const { chart, machine } = compile('id: x');
     export const places = placesIn('id: x');
     export const definition = (given: HostedDefinition) => hosted('x', given);
     export const ports = understudyPorts();
    `,
  );
  run(
    'tsc --strict --target es2023 --module nodenext --skipLibCheck --ignoreConfig --declaration --emitDeclarationOnly --outDir declared declared.ts',
    project,
  );
}
