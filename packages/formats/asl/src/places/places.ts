import { isRecord, type Path, type Source } from '@dramaturg/compiler';
import {
  type FoundPlace,
  type PlaceFinder,
  type Placeholders,
  type PlaceholderValues,
  valueAt,
} from '@dramaturg/compiler/format';
import { type DefinitionField, placeElsewhere, placeOf } from './definition.ts';
import { functionIn, resolve, type Template } from './functions.ts';
import { hclPlaces, terraformPlaces } from './hcl.ts';

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
function cloudFormationPlaces(
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

/**
 * The definitions in a file of the serverless framework: its state machines, and the resources of CloudFormation in it.
 *
 * @returns undefined when this is not such a file
 */
function serverlessPlaces(
  file: Source,
  values: Template['values'],
): readonly FoundPlace[] | undefined {
  const { value } = file;
  if (!isRecord(value)) return undefined;
  const { stepFunctions: section, stateMachines: alone, resources } = value;
  const template: Template = { value: {}, values };
  const found = [
    ...(section === undefined
      ? []
      : machinesIn(file, section, ['stepFunctions', 'stateMachines'], template)),
    // A file of state machines that another file includes.
    ...(isMachines(alone) ? machinesIn(file, value, ['stateMachines'], template) : []),
    ...resourcesIn(file, resources, values),
  ];
  return found.length > 0 ? found : undefined;
}

function machinesIn(
  file: Source,
  section: unknown,
  path: Path,
  template: Template,
): readonly FoundPlace[] {
  const machines = isRecord(section) ? section['stateMachines'] : section;
  if (typeof machines === 'string')
    return [placeElsewhere({ file, name: 'stateMachines', isExpress: false, template }, machines)];
  if (Array.isArray(machines))
    return machines.flatMap((item: unknown, index) =>
      isRecord(item)
        ? machineEntries(file, item, [...path, index], template)
        : machinesIn(file, item, [...path, index], template),
    );
  return isRecord(machines) ? machineEntries(file, machines, path, template) : [];
}

function machineEntries(
  file: Source,
  machines: Readonly<Record<string, unknown>>,
  path: Path,
  template: Template,
): readonly FoundPlace[] {
  return Object.entries(machines).map(([name, machine]) => {
    const isExpress = isRecord(machine) && machine['type'] === 'EXPRESS';
    const field = { file, name, isExpress, template };
    return isRecord(machine)
      ? placeOf({
          ...field,
          path: [...path, name, 'definition'],
          substitutions: machine['definitionSubstitutions'],
        })
      : placeElsewhere(field, machine);
  });
}

function isMachines(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.values(value).some((machine) => isRecord(machine) && 'definition' in machine)
  );
}

/** `resources` is a template, or a list of templates and references to files. */
function resourcesIn(
  file: Source,
  resources: unknown,
  values: Template['values'],
): readonly FoundPlace[] {
  if (!Array.isArray(resources)) return cloudFormationPlaces(file, ['resources'], values) ?? [];
  return resources.flatMap(
    (_, index) => cloudFormationPlaces(file, ['resources', index], values) ?? [],
  );
}

/** Workflows inside the files that deploy them. Spec: docs/formats/asl-deployment.md */
export const places: PlaceFinder = {
  suffixes: ['.tf'],
  find: (file, values): readonly FoundPlace[] | undefined =>
    file.value === undefined ? hclPlaces(file, values) : placesInValue(file, values),
};

/** The string that a function of CloudFormation gives in a definition that another file includes. */
export const textOfCall: NonNullable<Placeholders['textOfCall']> = (value) => {
  const text = functionIn(value) && resolve(value, { value: {}, values: {} });
  return typeof text === 'string' ? text : undefined;
};

function placesInValue(file: Source, values: PlaceholderValues): readonly FoundPlace[] | undefined {
  return (
    cloudFormationPlaces(file, [], values) ??
    serverlessPlaces(file, values) ??
    terraformPlaces(file, values)
  );
}
