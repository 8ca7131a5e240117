/** The lifecycles of definitions that have none of their own. */
export { conversationLifecycle } from './conversation/index.ts';
export { workflowLifecycle } from './workflow.ts';
