import type { Behaviour } from '@dramaturg/compiler';
import { agent } from './agent.ts';
import * as approval from './approval.ts';
import { checkpointCall, finishCheckpoint, prepareCheckpoint } from './checkpoint.ts';
import { compositionCall, prepareComposition } from './composition.ts';
import { choose, fail, goes, hasFailed, pass, succeed } from './data-states.ts';
import { debateCall, debateGoesOn, finishDebate, prepareDebate, takeTurn } from './debate.ts';
import { finishInclude, prepareInclude } from './include.ts';
import { finishMap, items, prepareMap } from './map.ts';
import { failBranch, finishParallel, prepareParallel } from './parallel.ts';
import { recover, retries } from './recovery.ts';
import {
  fallSilent,
  finishTask,
  heartbeatTimer,
  isOurs,
  prepareTask,
  taskCall,
  taskFailed,
  timeOut,
  timeoutTimer,
  tokenFailed,
} from './task.ts';
import { identity } from './identity.ts';
import { forwardToItem } from './token.ts';
import { finishWait, prepareWait, untilThen } from './wait.ts';
import {
  endWorkflow,
  outcome,
  startItem,
  startTemplate,
  startWorkflow,
  timeOutWorkflow,
  timerFailed,
  workflowTimer,
} from './workflow.ts';

/** The code behind the names in the charts of workflows. */
export const behaviour: Behaviour = {
  independentRegions: true,
  identity,
  agent,
  contexts: { startWorkflow, startTemplate, startItem },
  outputs: { outcome },
  guards: {
    hasFailed,
    goes,
    retries,
    isOurs,
    debateGoesOn,
    isDecided: approval.isDecided,
    needsAnother: approval.needsAnother,
    mayAskAgain: approval.mayAskAgain,
    mayWaitAgain: approval.mayWaitAgain,
    hasReminder: approval.hasReminder,
    isApprovedByNow: approval.isApprovedByNow,
    widens: approval.widens,
  },
  actions: {
    pass,
    choose,
    succeed,
    fail,
    prepareWait,
    finishWait,
    prepareTask,
    finishTask,
    taskFailed,
    timeOut,
    fallSilent,
    tokenFailed,
    forwardToItem,
    prepareParallel,
    finishParallel,
    failBranch,
    prepareMap,
    finishMap,
    recover,
    prepareApproval: approval.prepareApproval,
    refuseDecision: approval.refuseDecision,
    collectApproval: approval.collectApproval,
    takeDecision: approval.takeDecision,
    approveByItself: approval.approveByItself,
    rejectByItself: approval.rejectByItself,
    giveUpAsking: approval.giveUpAsking,
    finishApproval: approval.finishApproval,
    passUndecided: approval.passUndecided,
    failUndecided: approval.failUndecided,
    remind: approval.remind,
    widen: approval.widen,
    waitAgain: approval.waitAgain,
    prepareDebate,
    takeTurn,
    finishDebate,
    prepareCheckpoint,
    finishCheckpoint,
    prepareComposition,
    prepareInclude,
    finishInclude,
    endWorkflow,
    timeOutWorkflow,
    timerFailed,
  },
  inputs: {
    taskCall,
    untilThen,
    timeoutTimer,
    heartbeatTimer,
    items,
    workflowTimer,
    decisionCall: approval.decisionCall,
    timeoutOfApproval: approval.timeoutOfApproval,
    reminderTimer: approval.reminderTimer,
    debateCall,
    checkpointCall,
    compositionCall,
  },
};
