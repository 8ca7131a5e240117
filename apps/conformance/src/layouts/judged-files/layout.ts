import type { Case, Layout } from '../../layout.ts';
import { judge } from './judge.ts';
import { readManifest } from './manifest.ts';

/**
 * Files with workflows, and the expected results of `check` in a `manifest.tsv` with the columns `file`, `expected` and `why`.
 * Each accepted definition is also run with stubs. The area of a file is its folder.
 */
export const judgedFilesLayout: Layout = {
  name: 'judged-files',
  recognises: (folder) => readManifest(folder) !== undefined,
  cases: (folder) =>
    (readManifest(folder) ?? []).map((judged): Case => ({
      area: judged.file.split('/').slice(0, -1).join('/') || 'files',
      id: judged.file,
      groups: { expected: judged.expected },
      run: () => judge(folder, judged),
    })),
};
