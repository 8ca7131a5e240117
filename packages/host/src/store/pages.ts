import type { Page, PageRequest } from './contract.ts';

/** Reads all pages of a list, one after another. */
export async function* readPages<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  for (let after: string | undefined; ;) {
    const { items, next } = await read({ limit: 500, ...(after === undefined ? {} : { after }) });
    yield items;
    if (next === undefined) return;
    after = next;
  }
}
