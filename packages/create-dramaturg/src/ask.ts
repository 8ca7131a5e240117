import { createInterface, type Interface } from 'node:readline/promises';
import { type Answers, defaults, isTemplate, templateTitles } from './answers.ts';

/** Asks a person at a terminal for the answers that are not known yet. */
export async function ask(known: Partial<Answers>): Promise<Answers> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const folder =
      known.folder ??
      ((await terminal.question(`Folder (${defaults.folder}): `)) || defaults.folder);
    const template = known.template ?? (await askTemplate(terminal));
    const service =
      known.service ?? (await isYes(terminal, 'With a service that keeps its instances?'));
    const model =
      template !== 'workflow' &&
      (known.model ?? (await isYes(terminal, 'With a language model, when there is a key?')));
    return { folder, template, service, model };
  } finally {
    terminal.close();
  }
}

async function askTemplate(terminal: Interface): Promise<Answers['template']> {
  const rows = Object.entries(templateTitles);
  const list = rows.map(([name, title], index) => `  ${index + 1}  ${name}: ${title}\n`).join('');
  for (;;) {
    const given = await terminal.question(`What shall it be?\n${list}Number or name (1): `);
    const name = rows[Number(given || 1) - 1]?.[0] ?? given.trim();
    if (isTemplate(name)) return name;
  }
}

async function isYes(terminal: Interface, question: string): Promise<boolean> {
  return /^y/i.test(await terminal.question(`${question} (y/N): `));
}
