import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Answers, templates } from './answers.ts';
import { kindRows, newDefinition, type NewFile } from './definition-template.ts';

const folder = new URL('../templates/projects/', import.meta.url);

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

/** The files of a project. */
export function projectFiles(answers: Answers): NewFile[] {
  const { template, service, model } = answers;
  const kind = templates[template];
  const name = kindRows[kind].defaultName;
  const [definition, test] = newDefinition(kind, name, '.');
  const fill = (text: string) =>
    text.replaceAll('__name__', name).replaceAll('__definition__', definition.name);
  const from = (file: string, as = file): NewFile => ({
    name: as,
    text: fill(readFileSync(new URL(file, folder), 'utf8')),
  });
  const isWorkflow = template === 'workflow';
  const program = service
    ? from(isWorkflow ? 'workflow-service.js' : 'conversation-service.js', 'start.js')
    : from('conversation.js', 'start.js');
  return [
    { name: 'package.json', text: `${JSON.stringify(manifestOf(answers), undefined, 2)}\n` },
    { name: 'README.md', text: fill(readmeOf(answers)) },
    { name: '.gitignore', text: 'node_modules/\ndata/\n.env\n' },
    definition,
    test,
    ...(isWorkflow ? [from('agents.js'), from('input.json')] : []),
    ...(isWorkflow && !service ? [] : [program]),
    ...(isWorkflow ? [] : [from(model ? 'model-ports.js' : 'understudy-ports.js', 'ports.js')]),
    // Signs the sessions of visitors.
    ...(service && !isWorkflow
      ? [
          {
            name: '.env',
            text: `DRAMATURG_WEB_CHAT_SECRET=${randomBytes(32).toString('base64')}\n`,
          },
        ]
      : []),
  ];
}

function manifestOf({ folder: given, template, service, model }: Answers): object {
  const ours = (name: string): Record<string, string> => ({ [name]: `^${version}` });
  const file = `${kindRows[templates[template]].defaultName}${kindRows[templates[template]].suffix}`;
  const isWorkflow = template === 'workflow';
  const run = isWorkflow
    ? `dramaturg run ${file} --agents ./agents.js --input input.json`
    : `dramaturg run ${file}`;
  const program =
    service && !isWorkflow ? 'node --env-file-if-exists=.env start.js' : 'node start.js';
  const start = isWorkflow && !service ? run : program;
  return {
    name: nameOf(given),
    private: true,
    type: 'module',
    scripts: {
      start,
      test: 'dramaturg test',
      check: `dramaturg check ${file}`,
      inspect: service ? 'dramaturg inspect --attach data/instances' : `${run} --inspect`,
    },
    dependencies: {
      ...(service && !isWorkflow ? ours('@dramaturg/channel-web') : {}),
      ...(model ? { ...ours('@dramaturg/langchain'), '@langchain/core': '^1.2.13' } : {}),
      ...ours('dramaturg'),
      xstate: '^5.33.0',
    },
    engines: { node: '>=22.12' },
  };
}

/** A name that npm accepts. */
function nameOf(folderName: string): string {
  const name = basename(resolve(folderName)).toLowerCase();
  return name.replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '') || 'my-dramaturg';
}

function readmeOf({ template, service, model }: Answers): string {
  const start = service
    ? template === 'workflow'
      ? 'starts the service: [the desk](http://127.0.0.1:8080/desk) shows its runs and takes decisions'
      : 'starts the service: [a chat](http://127.0.0.1:8080/channels/web/), and [the desk](http://127.0.0.1:8080/desk) for operators'
    : template === 'workflow'
      ? 'runs the workflow with the data of `input.json`'
      : 'holds the conversation in the terminal';
  return `# ${template}

| command           | what it does |
| ----------------- | ------------ |
| \`npm start\`       | ${start} |
| \`npm test\`        | runs the tests in \`__name__.test.yaml\` |
| \`npm run check\`   | finds mistakes in \`__definition__\` |
| \`npm run inspect\` | opens the workbench: the statechart, events and data${service ? ' of the running service' : ' of a run'} |

\`__definition__\` explains itself in comments. ${
    template === 'workflow'
      ? 'Its agents are in `agents.js`.'
      : model
        ? 'A model answers when its key is in the environment: `OPENAI_API_KEY`, and another model with `MODEL`. Without a key, an understudy asks the questions as they are written.'
        : 'No model is needed: an understudy asks the questions as they are written. `ports.js` is the place for a model.'
  }
`;
}
