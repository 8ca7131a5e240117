import { chartOf, type HostContractOptions } from '@dramaturg/testing';
import { lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { lifecycleWithoutRepeats } from './without-repeating.ts';

/** The lifecycles for the host contract, compiled by the facade. Its ports fail so that a person comes at once. */
export const lifecycles: HostContractOptions['lifecycles'] = {
  conversation: chartOf(lifecycleWithoutRepeats, lifecycle),
  workflow: chartOf(workflowLifecycle, lifecycle),
  behaviour: lifecycle.behaviour,
};
