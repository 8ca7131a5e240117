import { readFile } from 'node:fs/promises';
import { compile } from 'dramaturg';

/** A conversation of the documentation. */
export async function intake() {
  const file = new URL('../../../../docs/examples/customer-intake.plan.json', import.meta.url);
  return compile(await readFile(file, 'utf8'), { fileName: 'customer-intake.plan.json' });
}
