/** Generated from openapi/agent-server.json by "npm run generate": do not edit. */

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Timeline: {
            /** Format: uuid */
            run_id: string;
            /** Format: uuid */
            thread_id: string;
            /** Format: uuid */
            assistant_id: string;
            /** @enum {string} */
            status: "pending" | "running" | "success" | "error" | "interrupted" | "timeout";
            attempt: number;
            error: components["schemas"]["RunError"];
            /** @description In ms since 1970. */
            created_at: number;
            /** @description In ms since 1970. When it could begin. */
            due_at: number;
            /** @description In ms since 1970. When it was claimed first. */
            started_at: number | null;
            /** @description In ms since 1970. */
            ended_at: number | null;
            attempts: components["schemas"]["TimelineAttempt"][];
            /** @description In the order of their beginnings. */
            spans: components["schemas"]["TimelineSpan"][];
            checkpoints: components["schemas"]["TimelineCheckpoint"][];
        };
        RunError: {
            error: string;
            message: string;
        } | null;
        TimelineAttempt: {
            /** @description Counts the claims of the run, from 1. */
            token: number;
            /** @description The number of the attempt. A claim that was handed over does not count as one. */
            attempt: number;
            server_id: string | null;
            pid: number | null;
            /** @description The deployment's revision; null: unknown, or of no deployment. */
            revision_id: string | null;
            /** @description In ms since 1970. */
            started_at: number | null;
            /** @description In ms since 1970. null: it goes on, or the time is unknown. */
            ended_at: number | null;
            /**
             * @description handed_over: its server was told to stop, and another goes on. lost: its server or the process of its graph has died.
             * @enum {string}
             */
            outcome: "running" | "success" | "error" | "interrupted" | "timeout" | "handed_over" | "lost";
            /** @description How many spans were too many to be kept. */
            left_out: number;
        };
        TimelineSpan: {
            span_id: string;
            /** @description The claim that it belongs to. */
            token: number;
            /** @enum {string} */
            kind: "node" | "model" | "tool";
            /** @description Of the node, the model's class or the tool. */
            name: string;
            /** @description Its node: `node:task` for each graph from the outermost inwards. */
            namespace: string[];
            /** @description LangGraph's number, in the node's graph. */
            step: number | null;
            /** @description In ms since 1970. */
            started_at: number;
            /** @description In ms since 1970. null: it is at work, or was left. */
            ended_at: number | null;
            /**
             * @description interrupted: it asks a question, or was cancelled. left: its attempt ended before it.
             * @enum {string}
             */
            status: "running" | "success" | "error" | "interrupted" | "left";
            error?: {
                error: string;
                message: string;
                stack?: string;
            };
            /** @description The model that was asked for. */
            model?: string;
            /** @description In ms since 1970. */
            first_token_at?: number;
            input_tokens?: number;
            output_tokens?: number;
            tool_call_id?: string;
            /** @description Of models and tools: JSON, cut off after 8,192 characters. Of messages the last ones; `{"type": "omitted", "count"}` stands for those before them. */
            input?: string;
            /** @description The same of the answer. */
            output?: string;
            /** @description The same of what it asks. */
            interrupts?: string;
        };
        TimelineCheckpoint: {
            checkpoint_id: string;
            checkpoint_ns: string;
            parent_checkpoint_id: string | null;
            step: number | null;
            source: string | null;
            /** @description In ms since 1970. */
            created_at: number | null;
        };
        WebhookDeliveryWithPayload: components["schemas"]["WebhookDelivery"] & {
            /** @description The body, but for `webhook_sent_at`, which each attempt adds. */
            payload: {
                [key: string]: unknown;
            };
        };
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description Sent as `webhook-id`, the same with every attempt.
             */
            delivery_id: string;
            /** Format: uuid */
            run_id: string;
            /** Format: uuid */
            thread_id: string;
            url: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description How often it was tried. */
            attempt: number;
            /**
             * Format: date-time
             * @description null: it is not sent by itself any more.
             */
            next_attempt_at: string | null;
            /** @description Of the latest answer; null: none was received. */
            response_status: number | null;
            /** @description Why the latest attempt did not deliver it. */
            error: string | null;
        };
        WebhookTest: {
            url: string;
            /**
             * Format: uuid
             * @description Sent as `webhook-id`.
             */
            delivery_id: string;
            /** Format: date-time */
            sent_at: string;
            duration_ms: number;
            /** @description null: there was no answer. */
            response_status: number | null;
            /** @description Why it failed; null: it was taken. */
            error: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Timeline = components['schemas']['Timeline'];
export type RunError = components['schemas']['RunError'];
export type TimelineAttempt = components['schemas']['TimelineAttempt'];
export type TimelineSpan = components['schemas']['TimelineSpan'];
export type TimelineCheckpoint = components['schemas']['TimelineCheckpoint'];
export type WebhookDeliveryWithPayload = components['schemas']['WebhookDeliveryWithPayload'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
