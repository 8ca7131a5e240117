import { createHost, memoryStore } from '@dramaturg/host';
import { hostContract } from '@dramaturg/testing';
import { lifecycles } from './lifecycles.ts';

hostContract(
  () => {
    const store = memoryStore();
    return { open: (options) => createHost({ ...options, store }) };
  },
  { lifecycles, concurrent: true },
);
