import { existsSync, readFileSync } from 'node:fs';
import { compile, type Compiled } from 'dramaturg';

/** A definition, with the settings for its measured conversation. */
export interface MeasuredDefinition {
  readonly name: string;
  readonly path: string;
  /** The conversation moves on with every `pace`th message, so that it reaches turn 20 and changes its state on the way. */
  readonly pace: number;
  readonly input?: object;
  /** The place where it runs. Default: in memory. On a host it has a lifecycle, which adds tools. */
  readonly on?: 'host';
}

const root = new URL('../../../../', import.meta.url);

const ours: readonly MeasuredDefinition[] = [
  { name: 'plan', path: 'docs/examples/customer-intake.plan.json', pace: 5 },
  {
    name: 'NPC',
    path: 'apps/bench/src/prompts/inn.npc.json',
    pace: 5,
    input: { player: { name: 'Ada' } },
  },
  { name: 'context graph', path: 'docs/examples/check-in.context-graph.yaml', pace: 5 },
  {
    name: 'plan in its lifecycle',
    path: 'docs/examples/customer-intake.plan.json',
    pace: 5,
    on: 'host',
  },
  { name: 'workflow', path: 'apps/bench/src/prompts/research.asl.json', pace: 5 },
];

/** The folder with definitions of other people. */
const corpus = process.env['DRAMATURG_CORPUS'];

const others: readonly MeasuredDefinition[] = [
  { name: 'plan with long states', path: 'plan/cognitive-stimulation-demo.json', pace: 5 },
  { name: 'support plan', path: 'plan/docs-customer-support.json', pace: 5 },
  { name: 'small talk plan', path: 'plan/stella-smalltalk.json', pace: 7 },
];

/** Examples of the project, and definitions of the corpus if there is one. */
export const measuredDefinitions: readonly MeasuredDefinition[] = [
  ...ours.map((each) => ({ ...each, path: new URL(each.path, root).pathname })),
  ...others.flatMap((each) => {
    const path = `${corpus}/${each.path}`;
    return corpus !== undefined && existsSync(path) ? [{ ...each, path }] : [];
  }),
];

export function compiledFrom({ path }: MeasuredDefinition): Compiled {
  const compiled = compile(readFileSync(path, 'utf8'), { fileName: path });
  if (!compiled.machine)
    throw new Error(`${path} does not compile: ${JSON.stringify(compiled.diagnostics)}`);
  return compiled;
}

export function machineOf(definition: MeasuredDefinition): NonNullable<Compiled['machine']> {
  return compiledFrom(definition).machine!;
}
