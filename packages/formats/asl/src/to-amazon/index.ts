import { isRecord, type JsonObject, type Path } from '@dramaturg/compiler';
import { isAgentOnly } from '../definition/field.ts';
import type { Dialect } from '../definition/index.ts';
import { metadataFields, workflow as workflowSchema } from '../document.ts';
import { type AmazonOptions, Exporting, type Gap, type Surroundings } from './exporting.ts';
import { amazonState } from './state.ts';

export type { AmazonOptions, Gap } from './exporting.ts';

export interface AmazonExport {
  /** The workflow in Amazon States Language; equivalent only without gaps. */
  readonly definition: JsonObject;
  readonly gaps: readonly Gap[];
}

/**
 * Writes a workflow without errors in Amazon States Language. Defaults that differ are written out: docs/formats/asl-deployment.md#export
 *
 * @param authored the workflow as authored, with its placeholders
 */
export function toAmazon(
  authored: JsonObject,
  dialect: Dialect,
  options: AmazonOptions = {},
): AmazonExport {
  const { $schema: _, ...workflow } = authored;
  if (dialect === 'amazon') return { definition: workflow, gaps: [] };
  const exporting = new Exporting(options);
  const own = Object.entries(workflow).filter(([field, value]) =>
    isAmazonField(field, value, exporting),
  );
  const language = workflow['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  return {
    definition: amazonMachine(Object.fromEntries(own), [], {
      exporting,
      language,
      machine: amazonMachine,
    }),
    gaps: exporting.gaps,
  };
}

function isAmazonField(field: string, value: unknown, exporting: Exporting): boolean {
  // Amazon's only version of the language. Authors of agents' workflows write the version of the workflow here.
  if (field === 'Version') return value === '1.0';
  const { shape } = workflowSchema;
  const known = Object.hasOwn(shape, field) ? shape[field as keyof typeof shape] : undefined;
  if (known && !isAgentOnly(known)) return true;
  const hasEffect =
    field !== 'Metadata' ||
    (isRecord(value) && Object.keys(value).some((one) => metadataFields.includes(one)));
  if (hasEffect) exporting.lacksField(field, [field]);
  return false;
}

function amazonMachine(machine: JsonObject, at: Path, around: Surroundings): JsonObject {
  const { States: states, ...rest } = machine;
  const entries = Object.entries(isRecord(states) ? states : {}).flatMap(([name, state]) =>
    isRecord(state)
      ? Object.entries(amazonState(name, state, [...at, 'States', name], around))
      : [],
  );
  return { ...rest, States: Object.fromEntries(entries) };
}
