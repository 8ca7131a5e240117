import { createHost } from '@dramaturg/host';
import { chaptersOfStores, chartOf, hostContract } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { describeWithPostgres, newStore } from './place.ts';

const { policies } = conversationLifecycle;

describeWithPostgres('a host on a store in Postgres', () => {
  hostContract(
    async () => {
      const store = await newStore();
      return { open: (options) => createHost({ ...options, store }) };
    },
    {
      concurrent: true,
      chapters: chaptersOfStores,
      lifecycles: {
        // Its ports fail so that a person comes at once.
        conversation: chartOf(
          {
            ...conversationLifecycle,
            policies: { ...policies, model_failure: { attempts: 1 }, fallbacks: undefined },
          },
          lifecycle,
        ),
        workflow: chartOf(workflowLifecycle, lifecycle),
        behaviour: lifecycle.behaviour,
      },
    },
  );
});
