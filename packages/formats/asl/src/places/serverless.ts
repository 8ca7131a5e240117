import { isRecord, type Path } from '@dramaturg/compiler';
import type { Source } from '@dramaturg/compiler';
import type { FoundPlace } from '@dramaturg/compiler/format';
import { cloudFormationPlaces } from './cloudformation.ts';
import { placeElsewhere, placeOf } from './definition.ts';
import type { Template } from './functions.ts';

/**
 * The definitions in a file of the serverless framework: its state machines, and the resources of CloudFormation in it.
 *
 * @returns undefined when this is not such a file
 */
export function serverlessPlaces(
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
