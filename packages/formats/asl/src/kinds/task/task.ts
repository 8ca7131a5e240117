import type { Task } from '../../definition/index.ts';
import { taskDefinition } from '../../definition/task.ts';
import type { Kind } from '../kind.ts';
import { taskBehaviour } from './behaviour.ts';
import { taskNode } from './lowering.ts';
import { compileTask, type TaskProgram } from './program.ts';
import { readTask } from './reading.ts';
import { taskRules } from './rules.ts';
import { testTask } from './test.ts';
import { taskWays } from './ways.ts';

export const taskKind: Kind<Task, TaskProgram> = {
  definition: taskDefinition,
  read: readTask,
  rules: taskRules,
  ways: taskWays,
  node: taskNode,
  compile: compileTask,
  behaviour: taskBehaviour,
  test: testTask,
};
