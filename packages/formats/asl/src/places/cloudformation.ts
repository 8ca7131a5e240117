import { isRecord, type Path } from '@dramaturg/compiler';
import type { Source } from '@dramaturg/compiler';
import { type FoundPlace, valueAt } from '@dramaturg/compiler/format';
import { type DefinitionField, placeElsewhere, placeOf } from './definition.ts';
import type { Template } from './functions.ts';

/** The fields of CloudFormation and SAM resources that hold a definition, or its location. */
const fields: Readonly<
  Record<string, { inside: readonly string[]; elsewhere: readonly string[] }>
> = {
  'AWS::StepFunctions::StateMachine': {
    inside: ['Definition', 'DefinitionString'],
    elsewhere: ['DefinitionS3Location'],
  },
  'AWS::Serverless::StateMachine': { inside: ['Definition'], elsewhere: ['DefinitionUri'] },
};

/**
 * The definitions in a template of CloudFormation or SAM, also one that the CDK has made.
 *
 * @param path of the template in its file
 * @returns undefined when this is not a template
 */
export function cloudFormationPlaces(
  file: Source,
  path: Path,
  values: Template['values'],
): readonly FoundPlace[] | undefined {
  const value = valueAt(file.value, path);
  const resources = isRecord(value) ? value['Resources'] : undefined;
  if (!isRecord(value) || !isRecord(resources)) return undefined;
  const template: Template = { value, values };
  return Object.entries(resources).flatMap(([name, resource]) => {
    const type = isRecord(resource) ? resource['Type'] : undefined;
    if (!isRecord(resource) || typeof type !== 'string' || !Object.hasOwn(fields, type)) return [];
    const at = [...path, 'Resources', name, 'Properties'];
    return [resourcePlace({ file, name, template }, resource['Properties'], at, fields[type]!)];
  });
}

function resourcePlace(
  given: Pick<DefinitionField, 'file' | 'name' | 'template'>,
  written: unknown,
  at: Path,
  { inside, elsewhere }: (typeof fields)[string],
): FoundPlace {
  const properties = isRecord(written) ? written : {};
  const field = {
    ...given,
    isExpress: [properties['Type'], properties['StateMachineType']].includes('EXPRESS'),
    substitutions: properties['DefinitionSubstitutions'],
  };
  const own = inside.find((name) => Object.hasOwn(properties, name));
  if (own !== undefined) return placeOf({ ...field, path: [...at, own] });
  const other = elsewhere.find((name) => Object.hasOwn(properties, name));
  if (other !== undefined) return placeElsewhere(field, properties[other]);
  return placeOf({ ...field, path: [...at, inside[0]!] });
}
