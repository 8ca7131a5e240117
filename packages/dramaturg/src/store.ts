/** Work on a store that no host runs: read, copy, repair, erase. Runs in browsers too. See docs/stores.md */
export {
  copyStore,
  eraseFrom,
  type ErasureReceipt,
  planRepair,
  type RepairStep,
} from '@dramaturg/host/browser';
export { readStore } from './host.ts';
