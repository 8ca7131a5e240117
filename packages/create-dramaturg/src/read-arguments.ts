import { parseArgs } from 'node:util';
import { type Answers, isTemplate, templates } from './answers.ts';

export interface Arguments {
  /** The questions that the arguments answer. */
  readonly answers: Partial<Answers>;
  readonly help: boolean;
  readonly json: boolean;
}

/** A mistake of the caller, and the next thing to do. */
export interface Complaint {
  readonly error: string;
  readonly hint: string;
}

const hint = 'Run "npm create dramaturg -- --help" to see the options.';

export function readArguments(args: readonly string[]): Arguments | Complaint {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        template: { type: 'string' },
        service: { type: 'boolean' },
        model: { type: 'boolean' },
        help: { type: 'boolean', short: 'h', default: false },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return { error: (error as Error).message.split('. ')[0]!.replace(/\.?$/, '.'), hint };
  }
  const { positionals, values } = parsed;
  const { template, service, model, help, json } = values;
  const [folder, ...others] = positionals;
  if (others.length > 0) return { error: 'There is more than one folder.', hint };
  if (template !== undefined && !isTemplate(template))
    return {
      error: `There is no template "${template}".`,
      hint: `The templates are ${Object.keys(templates).join(', ')}.`,
    };
  if (template === 'workflow' && model === true)
    return {
      error: 'A workflow calls agents, and no model.',
      hint: 'Leave out --model, and call a model in agents.js.',
    };
  return {
    answers: {
      ...(folder !== undefined && { folder }),
      ...(template !== undefined && { template }),
      ...(service !== undefined && { service }),
      ...(model !== undefined && { model }),
    },
    help,
    json,
  };
}
