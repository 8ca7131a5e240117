import { langchainPorts } from '@dramaturg/langchain';
import { understudyPorts } from 'dramaturg';

const { MODEL, OPENAI_API_KEY } = process.env;
const model = MODEL ?? (OPENAI_API_KEY && 'openai:gpt-6-luna');

/** What answers: a language model when there is a key, else an understudy, which asks the questions as they are written. */
export const ports = model ? langchainPorts({ model }) : understudyPorts();
