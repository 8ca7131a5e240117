import { isRecord, type Path } from '@dramaturg/compiler';
import type { Source } from '@dramaturg/compiler';
import type { FoundPlace } from '@dramaturg/compiler/format';
import { placeOf } from './definition.ts';
import type { Template } from './functions.ts';

export const stateMachineType = 'aws_sfn_state_machine';

/**
 * The definitions in Terraform's JSON: `.tf.json`, or the output of `terraform show -json`.
 *
 * @returns undefined when this is neither
 */
export function terraformPlaces(
  file: Source,
  values: Template['values'],
): readonly FoundPlace[] | undefined {
  const { value } = file;
  if (!isRecord(value)) return undefined;
  const template: Template = { value: {}, values };
  const add = (name: string, path: Path, fields: unknown): FoundPlace => {
    const isExpress = isRecord(fields) && fields['type'] === 'EXPRESS';
    return placeOf({ file, path: [...path, 'definition'], name, isExpress, template });
  };
  const found = [...writtenMachines(value, add)];
  // A plan has planned values, and a state has current values.
  for (const root of [['planned_values'], ['values']]) {
    const part = value[root[0]!];
    if (isRecord(part) && isRecord(part['root_module']))
      found.push(...machinesInModule(part['root_module'], [...root, 'root_module'], add));
  }
  return found.length > 0 ? found : undefined;
}

type Add = (name: string, path: Path, fields: unknown) => FoundPlace;

/** A resource is an object, or a list with one object. */
function writtenMachines(value: Readonly<Record<string, unknown>>, add: Add): FoundPlace[] {
  const blocks = Array.isArray(value['resource'])
    ? value['resource'].map((block: unknown, index) => ({ block, path: ['resource', index] }))
    : [{ block: value['resource'], path: ['resource'] }];
  return blocks.flatMap(({ block, path }) => {
    const machines = isRecord(block) ? block[stateMachineType] : undefined;
    if (!isRecord(machines)) return [];
    return Object.entries(machines).map(([name, fields]) => {
      const at = [...path, stateMachineType, name];
      return Array.isArray(fields) ? add(name, [...at, 0], fields[0]) : add(name, at, fields);
    });
  });
}

/** Modules are nested at most as deep as a file may be. */
function machinesInModule(
  module: Readonly<Record<string, unknown>>,
  path: Path,
  add: Add,
): FoundPlace[] {
  const { resources, child_modules: children } = module;
  const own = (Array.isArray(resources) ? resources : []).flatMap((resource: unknown, index) =>
    isRecord(resource) && resource['type'] === stateMachineType && resource['mode'] !== 'data'
      ? [
          add(
            String(resource['address'] ?? resource['name']),
            [...path, 'resources', index, 'values'],
            resource['values'],
          ),
        ]
      : [],
  );
  const inner = (Array.isArray(children) ? children : []).flatMap((child: unknown, index) =>
    isRecord(child) ? machinesInModule(child, [...path, 'child_modules', index], add) : [],
  );
  return [...own, ...inner];
}
