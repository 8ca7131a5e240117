import { isRecord, type Json } from '@dramaturg/compiler';
import { hasPlaceholder, replacePlaceholders } from '@dramaturg/compiler/format';
import { resolve, type Template, textOf } from './functions.ts';

/** The values that CloudFormation always knows, in its usual partition. */
const usual: Readonly<Record<string, Json>> = {
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The defaults of the parameters of a template. Skips parameters of SSM: their default is the name of a value. */
function defaultsIn({ value }: Template): Record<string, Json> {
  const parameters = isRecord(value['Parameters']) ? value['Parameters'] : {};
  const defaults = Object.entries(parameters).flatMap(([name, parameter]): [string, Json][] => {
    if (!isRecord(parameter) || String(parameter['Type']).startsWith('AWS::SSM')) return [];
    const known = parameter['Default'] as Json | undefined;
    return known === undefined ? [] : [[name, known]];
  });
  return Object.fromEntries(defaults);
}

/** The values of each template, which many state machines share. */
const knownValues = new WeakMap<Template, Readonly<Record<string, Json>>>();

function knownIn(template: Template): Readonly<Record<string, Json>> {
  const made = knownValues.get(template) ?? {
    ...usual,
    ...defaultsIn(template),
    ...template.values,
  };
  knownValues.set(template, made);
  return made;
}

/** The known values of names: given values first, then substitutions, then defaults of parameters. */
export function valuesIn(
  template: Template,
  substitutions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Json>> {
  const all = knownIn(template);
  const substituted = Object.entries(substitutions).flatMap(([name, written]): [string, Json][] => {
    const value = filled(resolve(written, template), all);
    return value === undefined || Object.hasOwn(template.values, name) ? [] : [[name, value]];
  });
  return substituted.length === 0 ? all : { ...all, ...Object.fromEntries(substituted) };
}

/** @returns undefined when a part of the value is not known */
function filled(value: unknown, known: Readonly<Record<string, Json>>): Json | undefined {
  if (typeof value !== 'string') return value as Json | undefined;
  const text = replacePlaceholders(value, (name) =>
    Object.hasOwn(known, name) ? textOf(known[name]) : undefined,
  );
  return hasPlaceholder(text) ? undefined : text;
}
