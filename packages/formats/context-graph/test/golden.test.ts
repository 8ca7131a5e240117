import { golden } from '@dramaturg/testing';
import { contextGraph } from '../src/index.ts';
import { word } from './words.ts';

golden(contextGraph, new URL('./fixtures/', import.meta.url), word);
