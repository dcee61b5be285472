// Covers what undo brings back of a workspace's state, and what it leaves as it is.

import { assertEquals } from "@std/assert";
import { sameTickets, ticketsIn, writeTickets } from "../../../src/undo/tickets.ts";
import { memoryWorld } from "../../support/memory.ts";

const FILE = "/w/.amof/state.json";
