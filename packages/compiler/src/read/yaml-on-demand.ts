import { requireFrom } from '../require-from.ts';
import type * as yaml from './yaml.ts';

const require = requireFrom(import.meta);

/** What `#read-yaml` is in Node, because most programs have JSON only. */
export const readYaml: typeof yaml.readYaml = (...given) =>
  (require('./yaml.js') as typeof yaml).readYaml(...given);
