import type { Behaviour } from '@dramaturg/compiler';
import {
  decisionCall,
  failUndecided,
  finishApproval,
  giveUpAsking,
  isOption,
  mayAskAgain,
  passUndecided,
  prepareApproval,
  refuseDecision,
} from './approval.ts';
import {
  askForMore,
  checkBudget,
  grantCall,
  hasWaited,
  isHeld,
  takeGrant,
  throttleTimer,
} from './budget.ts';
import { checkpoint } from './checkpoint.ts';
import { compositionCall, prepareComposition } from './composition.ts';
import { choose, fail, goes, hasFailed, pass, succeed } from './data-states.ts';
import {
  breakOff,
  debateCall,
  debateGoesOn,
  finishDebate,
  hear,
  listen,
  prepareDebate,
} from './debate.ts';
import { finishMap, items, prepareMap } from './map.ts';
import { failBranch, finishParallel, prepareParallel } from './parallel.ts';
import { recover, retries } from './recovery.ts';
import {
  agentCall,
  fallSilent,
  finishTask,
  heartbeatTimer,
  isOurs,
  prepareTask,
  receive,
  taskCall,
  taskFailed,
  timeOut,
  timeoutTimer,
  tokenFailed,
} from './task.ts';
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
  contexts: { startWorkflow, startTemplate, startItem },
  outputs: { outcome },
  guards: { hasFailed, goes, retries, isOurs, isOption, mayAskAgain, debateGoesOn, isHeld },
  actions: {
    pass,
    choose,
    succeed,
    fail,
    prepareWait,
    finishWait,
    prepareTask,
    receive,
    checkBudget,
    askForMore,
    takeGrant,
    hasWaited,
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
    prepareApproval,
    refuseDecision,
    giveUpAsking,
    finishApproval,
    passUndecided,
    failUndecided,
    prepareDebate,
    hear,
    listen,
    breakOff,
    finishDebate,
    checkpoint,
    prepareComposition,
    endWorkflow,
    timeOutWorkflow,
    timerFailed,
  },
  inputs: {
    taskCall,
    agentCall,
    grantCall,
    throttleTimer,
    untilThen,
    timeoutTimer,
    heartbeatTimer,
    items,
    workflowTimer,
    decisionCall,
    debateCall,
    compositionCall,
  },
};
