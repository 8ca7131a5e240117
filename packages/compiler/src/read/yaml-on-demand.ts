import { requireFrom } from '../require-from.ts';
import type * as yaml from './yaml.ts';

const require = requireFrom(import.meta);

/** `#read-yaml` in Node: loads the parser on first use, because most programs have JSON only. */
export const readYaml: typeof yaml.readYaml = (...given) =>
  (require('./yaml.js') as typeof yaml).readYaml(...given);
