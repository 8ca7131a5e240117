import { golden } from '@dramaturg/testing';
import { npc } from '../src/index.ts';
import { word } from './words.ts';

golden(npc, new URL('./fixtures/', import.meta.url), word);
