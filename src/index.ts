export { openRuntime, type RuntimeOptions } from './open-runtime.ts';
export type { LiveRuntime } from './live-runtime.ts';
export type { LogOptions } from './log.ts';
export type { Inventory, InventoryRow, Runtime, TestReport, TestRequest } from './runtime.ts';
export type { Caller, Context, RuntimeCode, TraceEntry, Verdict } from './verdict.ts';
export type { Action, Decision, Injection, Notice, RetryControl } from '../sdk/decisions.ts';
export { SignalboxError, type ErrorCode, type FailureCode } from '../sdk/errors.ts';
export type { PayloadInput, Payloads, Point } from '../sdk/points.ts';
