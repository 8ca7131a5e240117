import type { EditorSchema } from '@dramaturg/compiler/format';
import { shapeOf } from '../document.ts';
import { amazonOnly } from './amazon-only.ts';
import { withPlaceholders } from './with-placeholders.ts';

/** Agent State Language, which contains Amazon's; and Amazon States Language alone, without what Amazon refuses. */
export const workflowSchemas: readonly EditorSchema[] = [
  {
    name: 'asl',
    title: 'Workflow',
    description: 'A workflow in Agent State Language, a superset of Amazon States Language.',
    shape: shapeOf(),
    adapt: withPlaceholders,
  },
  {
    name: 'amazon-states',
    title: 'Amazon States Language workflow',
    description: 'A workflow in Amazon States Language, without what Agent State Language adds.',
    shape: shapeOf(),
    adapt: (schema) => withPlaceholders(amazonOnly(schema)),
  },
];
