import { createHost } from '@dramaturg/host';
import { chartOf, hostContract } from '@dramaturg/host/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { describeWithPostgres, newStore } from './place.ts';

describeWithPostgres('a host on a store in Postgres', () => {
  hostContract(
    async () => {
      const store = await newStore();
      return { open: (options) => createHost({ ...options, store }) };
    },
    {
      lifecycles: {
        conversation: chartOf(conversationLifecycle, lifecycle),
        workflow: chartOf(workflowLifecycle, lifecycle),
        behaviour: lifecycle.behaviour,
      },
    },
  );
});
