/** Generated from openapi/control-plane.json by "npm run generate": do not edit. */

export interface paths {
    "/v2/uploads/{deployment_id}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Upload a source tarball */
        put: operations["receive_upload_v2_uploads__deployment_id___file__put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/internal/artifacts/{revision_id}/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a built folder */
        get: operations["fetch_artifact_internal_artifacts__revision_id___digest__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/internal/builds/{revision_id}/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Bring what was built elsewhere */
        put: operations["bring_built_internal_builds__revision_id___digest__put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/internal/listener/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report as a listener, and wait for orders */
        post: operations["exchange_internal_listener_exchange_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/internal/listener/caller": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask as a listener whose a key is */
        post: operations["caller_internal_listener_caller_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/internal/domains/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask whether a host is a domain of a deployment */
        get: operations["ask_for_domain_internal_domains_ask_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/pushes/{deployment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report a push */
        post: operations["receive_push_v2_pushes__deployment_id__post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/start/{auth_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The consent page that a person opens: shows the agent and the scopes it asks for */
        get: operations["start_oauth_v2_auth_start__auth_id__get"];
        put?: never;
        /** What that page sends when the person continues: leads on to the provider */
        post: operations["continue_oauth_v2_auth_start__auth_id__post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/callback/{provider_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a provider sends the person back to */
        get: operations["oauth_callback_get_v2_auth_callback__provider_id__get"];
        put?: never;
        /** Hand in what a provider has sent to an application's own page */
        post: operations["oauth_callback_v2_auth_callback__provider_id__post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/setup/{provider_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where GitHub sends a person back to who has installed or changed an app */
        get: operations["oauth_setup_callback_v2_auth_setup__provider_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the session of this browser */
        get: operations["get_session_v2_session_get"];
        put?: never;
        /** Sign in */
        post: operations["create_session_v2_session_post"];
        /** Sign out */
        delete: operations["end_session_v2_session_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the ways to sign in */
        get: operations["get_sign_in_ways_v2_session_ways_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lead a browser to the issuer */
        get: operations["begin_oidc_v2_session_oidc_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where the issuer sends the browser back to */
        get: operations["finish_oidc_v2_session_oidc_callback_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List deployments */
        get: operations["list_deployments_v2_deployments_get"];
        put?: never;
        /** Create a deployment */
        post: operations["create_deployment_v2_deployments_post"];
        /** Delete several deployments */
        delete: operations["delete_deployments_v2_deployments_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/free-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the free deployments */
        get: operations["count_free_deployments_v2_deployments_free_count_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a deployment */
        get: operations["get_deployment_v2_deployments__deployment_id__get"];
        put?: never;
        post?: never;
        /** Delete a deployment */
        delete: operations["delete_deployment_v2_deployments__deployment_id__delete"];
        options?: never;
        head?: never;
        /** Change a deployment */
        patch: operations["patch_deployment_v2_deployments__deployment_id__patch"];
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/agent-key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the key of a deployment's agents, and give them another */
        post: operations["rotate_agent_key_v2_deployments__deployment_id__agent_key_rotate_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployment-states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See which deployments serve, and which revisions */
        get: operations["list_deployment_states_v2_deployment_states_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/runtime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See how a deployment runs */
        get: operations["get_deployment_runtime_v2_deployments__deployment_id__runtime_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the domains of a deployment */
        get: operations["list_domains_v2_deployments__deployment_id__domains_get"];
        put?: never;
        /** Add a domain to a deployment */
        post: operations["add_domain_v2_deployments__deployment_id__domains_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/domains/{host}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a domain from a deployment */
        delete: operations["remove_domain_v2_deployments__deployment_id__domains__host__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/domains/{host}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set or renew the certificate of a domain */
        put: operations["set_certificate_v2_deployments__deployment_id__domains__host__certificate_put"];
        post?: never;
        /** Remove the certificate of a domain */
        delete: operations["remove_certificate_v2_deployments__deployment_id__domains__host__certificate_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a deployment's revisions */
        get: operations["list_revisions_v2_deployments__deployment_id__revisions_get"];
        put?: never;
        /** Create a revision */
        post: operations["create_deployment_revision_v2_deployments__deployment_id__revisions_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revision-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a deployment's revisions with their author, steps and changes */
        get: operations["read_revision_history_v2_deployments__deployment_id__revision_history_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Interrupt a revision */
        post: operations["interrupt_revision_v2_deployments__deployment_id__revisions__revision_id__interrupt_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Interrupt a revision */
        post: operations["interrupt_revision_v2_deployments__deployment_id__revisions__revision_id__interruption_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revisions/{revision_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a revision */
        get: operations["get_revision_v2_deployments__deployment_id__revisions__revision_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revisions/{revision_id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare a revision with the last one that served before it */
        get: operations["read_revision_changes_v2_deployments__deployment_id__revisions__revision_id__changes_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deploy a revision again */
        post: operations["redeploy_revision_v2_deployments__deployment_id__revisions__revision_id__redeploy_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go back to an older revision */
        post: operations["rollback_deployment_v2_deployments__deployment_id__rollback_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project_id}/revisions/{revision_id}/build_logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read a revision's build log */
        post: operations["get_build_logs_v1_projects__project_id__revisions__revision_id__build_logs_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project_id}/revisions/{revision_id}/deploy_logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read what a revision's agent servers print */
        post: operations["get_revision_deploy_logs_v1_projects__project_id__revisions__revision_id__deploy_logs_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project_id}/deploy_logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read what a deployment's agent servers print */
        post: operations["get_deploy_logs_v1_projects__project_id__deploy_logs_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/revisions/{revision_id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a revision's logs */
        get: operations["list_revision_logs_v2_deployments__deployment_id__revisions__revision_id__logs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployment-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a deployment's log entries */
        get: operations["list_deployment_log_entries_v2_deployment_logs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/upload-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make an upload URL */
        post: operations["create_upload_url_v2_deployments__deployment_id__upload_url_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/push-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a token for pushing an image */
        post: operations["create_push_token_v2_deployments__deployment_id__push_token_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/push-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make the secret of the push webhook */
        post: operations["create_push_webhook_v2_deployments__deployment_id__push_webhook_post"];
        /** Take pushes no longer */
        delete: operations["delete_push_webhook_v2_deployments__deployment_id__push_webhook_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/listeners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List listeners */
        get: operations["list_listeners_v2_listeners_get"];
        put?: never;
        /** Create a listener */
        post: operations["create_listener_v2_listeners_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/listeners/{listener_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a listener */
        get: operations["get_listener_v2_listeners__listener_id__get"];
        put?: never;
        post?: never;
        /** Delete a listener */
        delete: operations["delete_listener_v2_listeners__listener_id__delete"];
        options?: never;
        head?: never;
        /** Change a listener */
        patch: operations["patch_listener_v2_listeners__listener_id__patch"];
        trace?: never;
    };
    "/v2/listeners/{listener_id}/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create another key for a listener */
        post: operations["create_listener_key_v2_listeners__listener_id__key_post"];
        /** Revoke the key of a listener */
        delete: operations["revoke_listener_key_v2_listeners__listener_id__key_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/github/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List GitHub integrations */
        get: operations["list_github_integrations_v1_integrations_github_install_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/forge/github/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List Forge GitHub integrations */
        get: operations["list_forge_github_integrations_v1_integrations_forge_github_install_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/github/{integration_id}/repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the repositories of a GitHub integration */
        get: operations["list_github_repositories_v1_integrations_github__integration_id__repos_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/forge/github/{integration_id}/repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the repositories of a Forge GitHub integration */
        get: operations["list_forge_github_repositories_v1_integrations_forge_github__integration_id__repos_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/integrations/forge-github/installation-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a link that installs the Forge GitHub App */
        post: operations["create_installation_link_v2_integrations_forge_github_installation_link_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the workspace's OAuth providers */
        get: operations["list_oauth_providers_v2_auth_providers_get"];
        put?: never;
        /** Create an OAuth provider */
        post: operations["create_oauth_provider_v2_auth_providers_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/platform-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the OAuth providers that the operator offers to every workspace */
        get: operations["list_platform_oauth_providers_v2_auth_platform_providers_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/providers/mcp-discover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the OAuth provider that an MCP server names, and register a client there */
        post: operations["create_mcp_oauth_provider_v2_auth_providers_mcp_discover_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/providers/{provider_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an OAuth provider by its slug */
        get: operations["get_oauth_provider_v2_auth_providers__provider_id__get"];
        put?: never;
        post?: never;
        /** Delete an OAuth provider, with its tokens */
        delete: operations["delete_oauth_provider_v2_auth_providers__provider_id__delete"];
        options?: never;
        head?: never;
        /** Change an OAuth provider */
        patch: operations["update_oauth_provider_v2_auth_providers__provider_id__patch"];
        trace?: never;
    };
    "/v2/auth/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a user's token, or a link with which they can give it */
        post: operations["authenticate_v2_auth_authenticate_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/wait/{auth_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Wait until a consent was given */
        get: operations["wait_for_auth_completion_v2_auth_wait__auth_id__get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's tokens, without the tokens themselves */
        get: operations["list_oauth_tokens_for_user_v2_auth_tokens_get"];
        put?: never;
        post?: never;
        /** Delete the caller's tokens of a provider */
        delete: operations["delete_oauth_tokens_for_user_v2_auth_tokens_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/tokens/exists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the caller has a token of a provider */
        get: operations["check_oauth_token_exists_v2_auth_tokens_exists_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/tokens/workspace/slack/exists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the workspace has a Slack token */
        get: operations["check_workspace_slack_tokens_exist_v2_auth_tokens_workspace_slack_exists_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/tokens/workspace/slack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete all Slack tokens of the workspace */
        delete: operations["revoke_all_slack_tokens_for_workspace_v2_auth_tokens_workspace_slack_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/tokens/workspace/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete all tokens of a person in the workspace */
        delete: operations["delete_tokens_of_user_v2_auth_tokens_workspace_users__user_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete one of the caller's tokens */
        delete: operations["delete_single_oauth_token_v2_auth_tokens__token_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/tokens/{token_id}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Name an account, or make it the default */
        patch: operations["update_token_label_v2_auth_tokens__token_id__metadata_patch"];
        trace?: never;
    };
    "/v2/auth/token-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what happened to the caller's tokens */
        get: operations["list_oauth_token_events_v2_auth_token_events_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/agents/{agent_id}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an agent's connections to the caller's accounts */
        get: operations["list_connections_v2_auth_agents__agent_id__connections_get"];
        put?: never;
        /** Connect an agent to one of the caller's accounts */
        post: operations["create_connection_v2_auth_agents__agent_id__connections_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/agents/{agent_id}/connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a connection; the token stays */
        delete: operations["remove_connection_v2_auth_agents__agent_id__connections__connection_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the caller */
        get: operations["get_me_v2_me_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List workspaces */
        get: operations["list_workspaces_v2_workspaces_get"];
        put?: never;
        /** Create a workspace */
        post: operations["create_workspace_v2_workspaces_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/workspaces/{workspace_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a workspace */
        get: operations["get_workspace_v2_workspaces__workspace_id__get"];
        put?: never;
        post?: never;
        /** Delete a workspace */
        delete: operations["delete_workspace_v2_workspaces__workspace_id__delete"];
        options?: never;
        head?: never;
        /** Rename a workspace */
        patch: operations["rename_workspace_v2_workspaces__workspace_id__patch"];
        trace?: never;
    };
    "/v2/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys */
        get: operations["list_api_keys_v2_api_keys_get"];
        put?: never;
        /** Create an API key */
        post: operations["create_api_key_v2_api_keys_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/api-keys/{api_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an API key */
        get: operations["get_api_key_v2_api_keys__api_key_id__get"];
        put?: never;
        post?: never;
        /** Revoke an API key */
        delete: operations["revoke_api_key_v2_api_keys__api_key_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search the audit log */
        get: operations["list_audit_entries_v2_audit_log_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/audit-log/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export the audit log */
        get: operations["export_audit_log_v2_audit_log_export_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/encryption-key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the encryption key, and seal all secrets with the new one */
        post: operations["rotate_encryption_key_v2_encryption_key_rotate_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/session/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a link that signs a browser in */
        post: operations["create_sign_in_link_v2_session_link_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the browsers that have signed in */
        get: operations["list_sessions_v2_sessions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session: an own one, for admins any of the workspace */
        delete: operations["revoke_session_v2_sessions__session_id__delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/deployments/{deployment_id}/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures of a deployment over the last day */
        get: operations["read_deployment_figures_v2_deployments__deployment_id__figures_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures of the workspace's deployments, together and each at a glance */
        get: operations["read_workspace_figures_v2_figures_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/installation/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures of the whole installation, and of the control plane itself */
        get: operations["read_installation_figures_v2_installation_figures_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures about deployments, rollouts, requests through the gateway and the process */
        get: operations["read_metrics_metrics_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Refusal: {
            detail: string;
        };
        ListenerOrders: {
            version: string;
            revisions: {
                [key: string]: unknown;
            }[];
            names: {
                [key: string]: unknown;
            }[];
            drain_ms: number;
            k8s_namespaces: string[] | null;
        };
        HTTPValidationError: {
            detail: {
                loc: (string | number)[];
                msg: string;
                type: string;
            }[];
        };
        ListenerReport: {
            /** Format: uuid */
            session: string;
            sequence: number;
            version: string | null;
            /** Format: uri */
            url: string | null;
            runyard: string;
            revisions: {
                /** Format: uuid */
                revision_id: string;
                /** Format: uuid */
                deployment_id: string;
                incarnation: string | null;
                states: {
                    number: number;
                    /** @description As the runtime driver says. */
                    state: Record<string, never>;
                }[];
                replicas: {
                    /** @enum {string} */
                    state: "starting" | "healthy" | "restarting" | "failed";
                    since: number;
                    restarts: number;
                    reason: string | null;
                    load: {
                        running: number;
                        capacity: number;
                        waiting: number;
                        lag_ms: number;
                        /** @default null */
                        next_due_at: number | null;
                    } | null;
                }[];
                done: {
                    /** Format: uuid */
                    id: string;
                    value?: unknown;
                }[];
            }[];
            names: {
                name: string;
                /** Format: uuid */
                deployment_id: string;
                is_wanted: boolean;
                open: number;
                last_at: number;
            }[];
            logs: {
                /** Format: uuid */
                revision_id: string;
                text: string;
            }[];
        };
        ListenerCaller: {
            user_id: string;
            name: string;
            /** @enum {string} */
            kind: "api_key" | "user" | "push_webhook";
            workspace_id: string;
            /** @enum {string} */
            role: "admin" | "developer" | "viewer" | "agent";
        };
        ListenerCallerRequest: {
            headers: {
                "x-api-key"?: string;
                authorization?: string;
                "x-tenant-id"?: string;
            };
        };
        DomainAsked: {
            /** @enum {boolean} */
            ok: true;
        };
        PushOutcome: {
            /** @enum {string} */
            status: "accepted";
            revision_id: string;
        } | {
            /** @enum {string} */
            status: "ignored";
            reason: string;
        };
        CurrentSession: components["schemas"]["Session"] & {
            /** @description Whether they run the installation: an admin of the first workspace. */
            is_operator: boolean;
            /** @description Those that `X-Tenant-Id` may name. */
            workspaces: {
                /** Format: uuid */
                id: string;
                name: string;
            }[];
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** @description The id of the API key, or `user:` and a subject. */
            user_id: string;
            name: string;
            /** @enum {string} */
            kind: "api_key" | "user" | "push_webhook";
            /** @enum {string} */
            role: "admin" | "developer" | "viewer" | "agent";
            /** Format: uuid */
            workspace_id: string;
            user_agent: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description To the minute.
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description When it ends unless it is used before.
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it ends in any case.
             */
            ends_at: string;
            /** @description Whether it is the one of this request. */
            is_current: boolean;
        };
        SignInRequest: {
            /** @description Of a link that signs in once. */
            code?: string;
            /** @description An API key, or a signed user token. */
            api_key?: string;
            /**
             * @description With `code`: sign in although another person is signed in with this browser. That session ends.
             * @default false
             */
            replaces_session: boolean;
        };
        SignInWays: {
            /** @enum {boolean} */
            api_key: true;
            /** @description Where a browser goes to sign in at the issuer. `null`: nowhere. */
            oidc: {
                issuer: string;
                path: string;
            } | null;
        };
        DeploymentsList: {
            resources: components["schemas"]["Deployment"][];
            offset: number;
        };
        Deployment: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            name: string;
            display_name: string | null;
            /** @enum {string} */
            source: "github" | "external_docker" | "internal_docker" | "internal_source";
            source_config: components["schemas"]["SourceConfig"];
            source_revision_config: components["schemas"]["SourceRevisionConfig"];
            secrets: {
                name: string;
                value: string;
            }[];
            secret_references: components["schemas"]["SecretReference"][] | null;
            /** @enum {string} */
            status: "AWAITING_DATABASE" | "READY" | "UNUSED" | "AWAITING_DELETE" | "UNKNOWN";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: uuid */
            latest_revision_id: string | null;
            /** Format: uuid */
            active_revision_id: string | null;
            image_version: string | null;
            url: string;
            addresses: string[];
            is_managed_deep_agent: boolean;
            is_public: boolean;
        };
        SourceConfig: {
            integration_id: string | null;
            repo_url: string | null;
            deployment_type: string | null;
            build_on_push: boolean | null;
            custom_url: string | null;
            resource_spec: {
                [key: string]: unknown;
            } | null;
            listener_id: string | null;
            listener_config: {
                [key: string]: unknown;
            } | null;
            install_command: string | null;
            build_command: string | null;
            /** @enum {string|null} */
            parked_threads: "warn" | "block" | null;
            webhooks: components["schemas"]["DeploymentWebhook"][];
        };
        DeploymentWebhook: {
            url: string;
            /** @enum {string} */
            events: "all" | "failures";
        };
        SourceRevisionConfig: {
            repo_ref: string | null;
            langgraph_config_path: string | null;
            image_uri: string | null;
            source_tarball_path: string | null;
            repo_commit_sha: string | null;
            image_digest: string | null;
        };
        SecretReference: {
            name: string;
            secret_name: string;
            secret_key: string;
        };
        DeploymentCreateRequest: {
            name: string;
            /** @enum {string} */
            source: "github" | "external_docker" | "internal_docker" | "internal_source";
            source_config: components["schemas"]["SourceConfigRequest"];
            source_revision_config: components["schemas"]["SourceRevisionConfigRequest"];
            secrets: components["schemas"]["Secret"][];
            secret_references?: components["schemas"]["SecretReference"][] | null;
            is_public?: boolean | null;
        };
        SourceConfigRequest: {
            /** Format: uuid */
            integration_id?: string | null;
            repo_url?: string | null;
            deployment_type?: string | null;
            build_on_push?: boolean | null;
            custom_url?: string | null;
            resource_spec?: components["schemas"]["ResourceSpec"] | null;
            /** Format: uuid */
            listener_id?: string | null;
            listener_config?: {
                k8s_namespace?: string | null;
            } | null;
            install_command?: string | null;
            build_command?: string | null;
            /** @enum {string|null} */
            parked_threads?: "warn" | "block" | null;
            webhooks?: {
                url: string;
                /**
                 * @default all
                 * @enum {string}
                 */
                events: "all" | "failures";
            }[] | null;
        };
        ResourceSpec: {
            min_scale?: number | null;
            max_scale?: number | null;
            memory_mb?: number | null;
            memory_limit_mb?: number | null;
            queue_min_scale?: number | null;
            queue_max_scale?: number | null;
            queue_memory_mb?: number | null;
            queue_memory_limit_mb?: number | null;
            redis_memory_mb?: number | null;
            redis_memory_limit_mb?: number | null;
            db_memory_mb?: number | null;
            db_memory_limit_mb?: number | null;
            db_storage_gi?: number | null;
            db_max_connections?: number | null;
            orchestrator_min_scale?: number | null;
            orchestrator_max_scale?: number | null;
            orchestrator_memory_mb?: number | null;
            orchestrator_memory_limit_mb?: number | null;
            executor_memory_mb?: number | null;
            executor_memory_limit_mb?: number | null;
            cpu?: number | null;
            queue_cpu?: number | null;
            redis_cpu?: number | null;
            db_cpu?: number | null;
            orchestrator_cpu?: number | null;
            executor_cpu?: number | null;
            cpu_limit?: number | null;
            queue_cpu_limit?: number | null;
            redis_cpu_limit?: number | null;
            db_cpu_limit?: number | null;
            orchestrator_cpu_limit?: number | null;
            executor_cpu_limit?: number | null;
            labels?: {
                [key: string]: string;
            } | null;
            annotations?: {
                [key: string]: string;
            } | null;
            image_pull_secrets?: {
                [key: string]: unknown;
            }[] | null;
            volumes?: {
                [key: string]: unknown;
            }[] | null;
            volume_mounts?: {
                [key: string]: unknown;
            }[] | null;
            init_containers?: {
                [key: string]: unknown;
            }[] | null;
            sidecars?: {
                [key: string]: unknown;
            }[] | null;
            service_account_name?: string | null;
        };
        SourceRevisionConfigRequest: {
            repo_ref?: string | null;
            langgraph_config_path?: string | null;
            image_uri?: string | null;
            source_tarball_path?: string | null;
        };
        Secret: {
            name: string;
            value: string;
        };
        BulkDeletion: {
            deleted: string[];
            failed: {
                /** Format: uuid */
                id: string;
                detail: string;
            }[];
        };
        FreeDeploymentsCount: {
            count: number;
        };
        DeploymentPatchRequest: {
            name?: string | null;
            source?: string | null;
            display_name?: string | null;
            /** @enum {string|null} */
            revision_source?: "github" | "internal_docker" | "internal_source" | null;
            source_config?: components["schemas"]["SourceConfigRequest"] | null;
            source_revision_config?: components["schemas"]["SourceRevisionConfigRequest"] | null;
            secrets?: components["schemas"]["Secret"][] | null;
            removed_secrets?: string[] | null;
            secret_references?: components["schemas"]["SecretReference"][] | null;
            is_public?: boolean | null;
            message?: string | null;
        };
        AgentKeyRotated: {
            revision_id: string | null;
        };
        DeploymentStates: {
            resources: {
                /** Format: uuid */
                deployment_id: string;
                name: string;
                /** @enum {string} */
                state: "stopped" | "asleep" | "starting" | "serving" | "restarting" | "failed";
                active: {
                    /** Format: uuid */
                    id: string;
                    number: number;
                    /** @enum {string} */
                    status: "CREATING" | "QUEUED" | "AWAITING_BUILD" | "BUILDING" | "AWAITING_DEPLOY" | "DEPLOYING" | "CREATE_FAILED" | "BUILD_FAILED" | "DEPLOY_FAILED" | "DEPLOYED" | "SKIPPED" | "INTERRUPTED" | "UNKNOWN";
                } | null;
                latest: {
                    /** Format: uuid */
                    id: string;
                    number: number;
                    /** @enum {string} */
                    status: "CREATING" | "QUEUED" | "AWAITING_BUILD" | "BUILDING" | "AWAITING_DEPLOY" | "DEPLOYING" | "CREATE_FAILED" | "BUILD_FAILED" | "DEPLOY_FAILED" | "DEPLOYED" | "SKIPPED" | "INTERRUPTED" | "UNKNOWN";
                } | null;
            }[];
        };
        DeploymentRuntime: {
            /** Format: uuid */
            revision_id: string | null;
            /** @enum {string} */
            state: "stopped" | "asleep" | "starting" | "serving" | "restarting" | "failed";
            /** Format: date-time */
            asleep_since: string | null;
            /** Format: date-time */
            wake_at: string | null;
            replicas: {
                /** @enum {string} */
                state: "starting" | "healthy" | "restarting" | "failed";
                /** Format: date-time */
                since: string;
                restarts: number;
                reason: string | null;
                running: number | null;
                lag_ms: number | null;
            }[];
        };
        DomainsList: {
            resources: components["schemas"]["Domain"][];
            points_to: string | null;
        };
        Domain: {
            host: string;
            url: string;
            /** @enum {string} */
            dns: "points_here" | "elsewhere" | "unresolved" | "unknown";
            certificate: components["schemas"]["DomainCertificate"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        DomainCertificate: {
            issuer: string;
            /** @description For which hosts it is. */
            names: string[];
            /** Format: date-time */
            not_before: string;
            /** Format: date-time */
            expires_at: string;
            /** @description SHA-256. */
            fingerprint: string;
        } | null;
        DomainCreateRequest: {
            host: string;
            certificate?: string | null;
            private_key?: string | null;
        };
        DomainCertificateRequest: {
            certificate: string;
            private_key: string;
        };
        RevisionsList: {
            resources: components["schemas"]["Revision"][];
            offset: number;
        };
        Revision: {
            /** Format: uuid */
            id: string;
            number: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            status: components["schemas"]["RevisionStatus"];
            status_message: string | null;
            /** Format: date-time */
            deployed_at: string | null;
            parked_threads: components["schemas"]["ParkedThreads"];
            /** @enum {string} */
            source: "github" | "external_docker" | "internal_docker" | "internal_source";
            source_revision_config: components["schemas"]["SourceRevisionConfig"];
            message: string | null;
            commit_author: string | null;
            commit_subject: string | null;
        };
        /** @enum {string} */
        RevisionStatus: "CREATING" | "QUEUED" | "AWAITING_BUILD" | "BUILDING" | "AWAITING_DEPLOY" | "DEPLOYING" | "CREATE_FAILED" | "BUILD_FAILED" | "DEPLOY_FAILED" | "DEPLOYED" | "SKIPPED" | "INTERRUPTED" | "UNKNOWN";
        ParkedThreads: {
            /** Format: date-time */
            checked_at: string;
            parked: number;
            broken: number;
            threads: {
                thread_id: string;
                /** @enum {string} */
                status: "interrupted" | "busy";
                graph_id: string;
                is_graph_missing: boolean;
                missing_nodes: string[];
                missing_keys: string[];
            }[];
        } | null;
        RevisionHistory: {
            resources: components["schemas"]["RevisionHistoryEntry"][];
            offset: number;
        };
        RevisionHistoryEntry: {
            /** Format: uuid */
            revision_id: string;
            number: number;
            made_by: string | null;
            /** @enum {string|null} */
            made_for: "create" | "change" | "push" | "redeploy" | "rollback" | "agent_key" | "take_back" | null;
            repeats: number | null;
            steps: {
                /** @enum {string} */
                status: "CREATING" | "QUEUED" | "AWAITING_BUILD" | "BUILDING" | "AWAITING_DEPLOY" | "DEPLOYING" | "CREATE_FAILED" | "BUILD_FAILED" | "DEPLOY_FAILED" | "DEPLOYED" | "SKIPPED" | "INTERRUPTED" | "UNKNOWN";
                /** Format: date-time */
                began_at: string;
            }[];
            changes: components["schemas"]["RevisionChanges"];
        };
        RevisionChanges: {
            since: number;
            fields: {
                name: string;
                before?: unknown;
                after?: unknown;
            }[];
            secrets: {
                added: string[];
                changed: string[];
                removed: string[];
            };
        } | null;
        RevisionCreateRequest: {
            /** @enum {string|null} */
            revision_source?: "github" | "internal_docker" | "internal_source" | null;
            source_config?: components["schemas"]["SourceConfigRequest"] | null;
            source_revision_config?: components["schemas"]["SourceRevisionConfigRequest"] | null;
            secrets?: components["schemas"]["Secret"][] | null;
            secret_references?: components["schemas"]["SecretReference"][] | null;
            message?: string | null;
        };
        RevisionComparison: {
            /** Format: uuid */
            revision_id: string;
            number: number;
            changes: components["schemas"]["RevisionChanges"];
            source: components["schemas"]["SourceChanges"];
        };
        SourceChanges: {
            /** @enum {string} */
            state: "compared" | "same" | "image" | "unknown";
            files: components["schemas"]["FileChange"][];
            packages: components["schemas"]["PackageChange"][];
            left_out: number;
        } | null;
        FileChange: {
            path: string;
            /** @enum {string} */
            kind: "added" | "changed" | "removed";
            before_bytes: number | null;
            after_bytes: number | null;
            added: number | null;
            removed: number | null;
            patch: string | null;
        };
        PackageChange: {
            lock_file: string;
            name: string;
            before: string[];
            after: string[];
        };
        RollbackRequest: {
            /** Format: uuid */
            revision_id?: string | null;
        };
        Logs: {
            logs: components["schemas"]["LogEntry"][];
            next_offset: string | null;
        };
        LogEntry: {
            id: string;
            /** Format: date-time */
            timestamp: string;
            /** @enum {string} */
            level: "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL";
            message: string;
            /**
             * @description Only of deploy logs: whether the agent server itself says so, or the code of the project prints it.
             * @enum {string}
             */
            source?: "server" | "project";
        };
        LogsRequest: {
            /** @enum {string|null} */
            order?: "asc" | "desc" | null;
            limit?: number | null;
            offset?: string | null;
            query?: string | null;
            /** @enum {string|null} */
            level?: "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL" | null;
            /** Format: date-time */
            start_time?: string | null;
            /** Format: date-time */
            end_time?: string | null;
            run_id?: string | null;
        };
        DeploymentLogEntriesList: {
            items: components["schemas"]["LogEntry"][];
            next_cursor: string | null;
        };
        UploadUrl: {
            upload_url: string;
            object_path: string;
            /** @description The headers to send with the PUT. */
            upload_headers: {
                [key: string]: string;
            };
        };
        PushToken: {
            token: string;
            username: string;
            registry_url: string;
            repository_url: string;
        };
        PushTokenRequest: {
            supports_registry_username?: boolean | null;
        };
        PushWebhook: {
            url: string;
            secret: string;
        };
        ListenersList: {
            resources: components["schemas"]["Listener"][];
            offset: number;
        };
        Listener: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            compute_type: "k8s";
            compute_id: string;
            compute_config: {
                k8s_namespaces: string[] | null;
            };
            version: string | null;
            url: string | null;
            /** Format: date-time */
            last_heard_at: string | null;
            /** @enum {string} */
            state: "unheard" | "listening" | "away";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ListenerCreated: components["schemas"]["Listener"] & {
            key: string;
        };
        ListenerCreateRequest: {
            /** @enum {string} */
            compute_type: "k8s";
            compute_id: string;
            compute_config: {
                k8s_namespaces?: string[] | null;
            };
            version?: string | null;
        };
        ListenerPatchRequest: {
            version?: string | null;
            compute_config?: {
                k8s_namespaces?: string[] | null;
            } | null;
        };
        ListenerKey: {
            key: string;
        };
        GithubIntegration: {
            /** Format: uuid */
            id: string;
            installation_id: number;
            name: string;
        };
        GithubRepository: {
            /** Format: uuid */
            host_integration_id: string;
            id: number;
            name: string;
            owner: string;
            url: string;
            default_branch: string;
        };
        InstallationLink: {
            install_url: string;
        };
        InstallationLinkRequest: {
            return_to?: string | null;
        } | null;
        OAuthProviderResponse: {
            id: string;
            organization_id: string;
            provider_id: string;
            name: string;
            client_id: string;
            auth_url: string;
            token_url: string;
            revocation_url: string | null;
            uses_pkce: boolean;
            code_challenge_method: string | null;
            provider_type: string | null;
            mcp_server_url: string | null;
            token_endpoint_auth_method: string;
            is_dynamic_client: boolean;
            authorization_params: {
                [key: string]: string;
            };
            allowed_redirect_uris: string[];
            default_redirect_uri: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        MCPOAuthProviderCreateRequest: {
            provider_id: string;
            name: string;
            /** Format: uri */
            mcp_server_url: string;
        };
        OAuthProviderCreateRequest: {
            provider_id: string;
            name: string;
            client_id: string;
            client_secret?: string | null;
            /** Format: uri */
            auth_url: string;
            /** Format: uri */
            token_url: string;
            /** Format: uri */
            revocation_url?: string | null;
            authorization_params?: {
                [key: string]: string;
            } | null;
            allowed_redirect_uris?: string[] | null;
            /** Format: uri */
            default_redirect_uri?: string | null;
            /** @default false */
            uses_pkce: boolean;
            /**
             * @default S256
             * @enum {string}
             */
            code_challenge_method: "S256" | "plain";
            /** @enum {string|null} */
            provider_type?: "microsoft" | "salesforce" | "slack" | null;
            /**
             * @default client_secret_post
             * @enum {string}
             */
            token_endpoint_auth_method: "none" | "client_secret_basic" | "client_secret_post";
        };
        OAuthProviderUpdateRequest: {
            name?: string | null;
            client_id?: string | null;
            client_secret?: string | null;
            /** Format: uri */
            auth_url?: string | null;
            /** Format: uri */
            token_url?: string | null;
            /** Format: uri */
            revocation_url?: string | null;
            authorization_params?: {
                [key: string]: string;
            } | null;
            allowed_redirect_uris?: string[] | null;
            /** Format: uri */
            default_redirect_uri?: string | null;
            uses_pkce?: boolean | null;
            /** @enum {string|null} */
            code_challenge_method?: "S256" | "plain" | null;
            /** @enum {string|null} */
            provider_type?: "microsoft" | "salesforce" | "slack" | null;
            /** @enum {string|null} */
            token_endpoint_auth_method?: "none" | "client_secret_basic" | "client_secret_post" | null;
        };
        OAuthProviderDeleted: {
            message: string;
        };
        AuthAuthenticateResponse: {
            /** @enum {string} */
            status: "completed" | "pending" | "connection_required" | "token_expired";
            url?: string | null;
            auth_id?: string | null;
            token?: string | null;
            user_id?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        AuthAuthenticateRequest: {
            provider: string;
            scopes: string[];
            user_id?: string | null;
            ls_user_id?: string | null;
            agent_id?: string | null;
            /** Format: uuid */
            token_id?: string | null;
            /** @default false */
            force_new: boolean;
            /** @default true */
            is_default: boolean;
            redirect_uri?: string | null;
        };
        AuthWaitResponse: {
            /** @enum {string} */
            status: "completed" | "pending" | "timeout" | "not_found";
            token?: string | null;
            /** @description With `not_found`: why the consent has failed, for people. */
            problem?: string;
            /** @description With `not_found`: what was asked for, and not given. */
            missing_scopes?: string[];
        };
        OAuthFinalized: {
            /** @enum {string} */
            status: "completed";
            provider_id: string;
            token_id: string;
        };
        OAuthFinalizeRequest: {
            code: string;
            state: string;
            user_id?: string;
            iss?: string;
        };
        OAuthTokenSummary: {
            /** Format: uuid */
            id: string;
            provider_id: string;
            provider_account_label: string | null;
            scopes: string[];
            /** Format: date-time */
            expires_at: string | null;
            is_default: boolean;
            user_id: string;
            /** @enum {string} */
            status: "active" | "expired";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        OAuthTokensDeleted: {
            message: string;
            provider_id: string;
        };
        OAuthTokenStatusResponse: {
            has_token: boolean;
        };
        OAuthTokenUpdateRequest: {
            provider_account_label?: string | null;
            is_default?: boolean | null;
        };
        OAuthTokenEvent: {
            /** Format: uuid */
            id: string;
            provider_id: string;
            agent_id: string | null;
            /** @enum {string} */
            event_type: "token_created" | "token_updated" | "token_refreshed" | "token_refresh_failed" | "token_expired" | "token_deleted" | "consent_refused" | "consent_failed";
            reason: string | null;
            source: string | null;
            provider_account_label: string | null;
            scopes: string[];
            detail: null;
            acknowledged_at: null;
            /** Format: date-time */
            created_at: string;
        };
        AgentConnectionListResponse: {
            data: components["schemas"]["AgentConnectionResponse"][];
        };
        AgentConnectionResponse: {
            /** Format: uuid */
            id: string;
            agent_id: string;
            /** Format: uuid */
            oauth_token_id: string;
            provider_id: string;
            provider_account_label: string | null;
            scopes: string[];
            /** Format: date-time */
            expires_at: string | null;
            created_by: string;
            /** Format: date-time */
            created_at: string;
        };
        CreateAgentConnectionRequest: {
            /** Format: uuid */
            oauth_token_id: string;
        };
        Me: {
            user_id: string;
            name: string;
            /** @enum {string} */
            kind: "api_key" | "user" | "push_webhook";
            /** Format: uuid */
            workspace_id: string;
            /** @enum {string} */
            role: "admin" | "developer" | "viewer" | "agent";
            /** @description Whether it runs the installation. */
            is_operator: boolean;
        };
        WorkspacesList: {
            resources: components["schemas"]["Workspace"][];
            offset: number;
        };
        Workspace: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
        };
        WorkspaceRequest: {
            name: string;
        };
        ApiKeysList: {
            resources: components["schemas"]["ApiKey"][];
            offset: number;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            workspace_id: string;
            role: components["schemas"]["Role"];
            /** @description How the key begins. */
            hint: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * Format: date-time
             * @description To the minute.
             */
            last_used_at: string | null;
        };
        /** @enum {string} */
        Role: "admin" | "developer" | "viewer" | "agent";
        NewApiKey: components["schemas"]["ApiKey"] & {
            /** @description The key itself. It is not shown again. */
            key: string;
        };
        ApiKeyCreateRequest: {
            name: string;
            role: components["schemas"]["Role"];
            /** Format: date-time */
            expires_at?: string | null;
            /** Format: uuid */
            workspace_id?: string | null;
        };
        AuditEntriesList: {
            items: components["schemas"]["AuditEntry"][];
            next_cursor: string | null;
        };
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            workspace_id: string;
            /** @enum {string} */
            actor_kind: "api_key" | "user" | "push_webhook";
            actor_id: string;
            actor_name: string;
            /** @enum {string} */
            action: "api_key.create" | "api_key.revoke" | "audit_log.export" | "deployment.create" | "deployment.update" | "deployment.delete" | "agent_key.rotate" | "domain.create" | "domain.update" | "domain.delete" | "encryption_key.rotate" | "listener.create" | "listener.update" | "listener.delete" | "oauth_connection.create" | "oauth_connection.delete" | "oauth_consent.begin" | "oauth_consent.complete" | "oauth_provider.create" | "oauth_provider.update" | "oauth_provider.delete" | "oauth_token.read" | "oauth_token.update" | "oauth_token.delete" | "push_token.create" | "push_webhook.create" | "push_webhook.delete" | "revision.create" | "revision.redeploy" | "revision.interrupt" | "revision.rollback" | "session.create" | "session.end" | "sign_in_link.create" | "upload.create" | "workspace.create" | "workspace.update" | "workspace.delete";
            target_id: string;
            target_name: string | null;
            detail: {
                [key: string]: unknown;
            };
        };
        EncryptionKeyRotated: {
            resealed: number;
        };
        SignInLink: {
            /**
             * Format: uri
             * @description The page that signs in, with the code behind `#`.
             */
            url: string;
            code: string;
            /** Format: date-time */
            expires_at: string;
        };
        SessionsList: {
            resources: components["schemas"]["Session"][];
            offset: number;
        };
        DeploymentFigures: {
            deployment_id: string;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            step_seconds: number;
            /** @description The latest step; null: nothing of it runs. */
            now?: components["schemas"]["FigurePoint"] | null;
            /** @description The whole time in one point; null: nothing of it ran. */
            total?: components["schemas"]["FigurePoint"] | null;
            /** @description In the order of time; a step in which nothing ran has no point. */
            points: components["schemas"]["FigurePoint"][];
        };
        /** @description What happened in a step. Counts are sums over it; of everything else it is the largest value. */
        FigurePoint: {
            /**
             * Format: date-time
             * @description When its step began.
             */
            at: string;
            /** @description Agent servers that answered. */
            servers: number;
            /** @description Processors in use, on average. */
            cpu_cores: number;
            memory_bytes: number;
            /** @description How late the event loop was: the 99th percentile of the worst process. */
            event_loop_delay_seconds: number;
            /** @description Runs that wait and are due. */
            waiting: number;
            /** @description Runs that are not due yet. */
            delayed: number;
            running: number;
            /** @description How long the run that waited longest had been due. */
            queue_age_seconds: number;
            streams_open: number;
            webhooks_pending: number;
            database_bytes: number;
            /** @description Answered through the gateway, without those with `X-Runyard-Wake`. */
            requests: number;
            /** @description Of these with 4xx. */
            refusals: number;
            /** @description Of these with 5xx. */
            errors: number;
            /** @description Runs that ended, by status. */
            runs: {
                [key: string]: number;
            };
            /** @description Attempts to deliver webhooks, by the status of the delivery after them. */
            webhooks: {
                [key: string]: number;
            };
            /** @description Tokens of models, `input` and `output`. */
            tokens: {
                [key: string]: number;
            };
            request_seconds: components["schemas"]["FigurePercentiles"];
            wait_seconds: components["schemas"]["FigurePercentiles"] & unknown;
            first_output_seconds: components["schemas"]["FigurePercentiles"] & unknown;
            first_token_seconds: components["schemas"]["FigurePercentiles"] & unknown;
            duration_seconds: components["schemas"]["FigurePercentiles"] & unknown;
        };
        /** @description From a request to the end of its answer; null: none. */
        FigurePercentiles: {
            count: number;
            p50: number;
            p95: number;
            p99: number;
        } | null;
        WorkspaceFigures: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            step_seconds: number;
            /** @description The latest step; null: nothing of it runs. */
            now?: components["schemas"]["FigurePoint"] | null;
            /** @description The whole time in one point; null: nothing of it ran. */
            total?: components["schemas"]["FigurePoint"] | null;
            /** @description Of all deployments together. */
            points: components["schemas"]["FigurePoint"][];
            deployments: components["schemas"]["DeploymentAtAGlance"][];
        };
        DeploymentAtAGlance: {
            deployment_id: string;
            name: string;
            /** @description The latest step; null: nothing of it runs. */
            now?: components["schemas"]["FigurePoint"] | null;
            /** @description The whole time in one point; null: nothing of it ran. */
            total?: components["schemas"]["FigurePoint"] | null;
        };
        InstallationFigures: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            step_seconds: number;
            /** @description Of the deployments of all workspaces together. */
            points: components["schemas"]["FigurePoint"][];
            /** @description Of the control plane itself; requests are those to its own API. */
            control_plane: components["schemas"]["FigurePoint"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Refusal = components['schemas']['Refusal'];
export type ListenerOrders = components['schemas']['ListenerOrders'];
export type HttpValidationError = components['schemas']['HTTPValidationError'];
export type ListenerReport = components['schemas']['ListenerReport'];
export type ListenerCaller = components['schemas']['ListenerCaller'];
export type ListenerCallerRequest = components['schemas']['ListenerCallerRequest'];
export type DomainAsked = components['schemas']['DomainAsked'];
export type PushOutcome = components['schemas']['PushOutcome'];
export type CurrentSession = components['schemas']['CurrentSession'];
export type Session = components['schemas']['Session'];
export type SignInRequest = components['schemas']['SignInRequest'];
export type SignInWays = components['schemas']['SignInWays'];
export type DeploymentsList = components['schemas']['DeploymentsList'];
export type Deployment = components['schemas']['Deployment'];
export type SourceConfig = components['schemas']['SourceConfig'];
export type DeploymentWebhook = components['schemas']['DeploymentWebhook'];
export type SourceRevisionConfig = components['schemas']['SourceRevisionConfig'];
export type SecretReference = components['schemas']['SecretReference'];
export type DeploymentCreateRequest = components['schemas']['DeploymentCreateRequest'];
export type SourceConfigRequest = components['schemas']['SourceConfigRequest'];
export type ResourceSpec = components['schemas']['ResourceSpec'];
export type SourceRevisionConfigRequest = components['schemas']['SourceRevisionConfigRequest'];
export type Secret = components['schemas']['Secret'];
export type BulkDeletion = components['schemas']['BulkDeletion'];
export type FreeDeploymentsCount = components['schemas']['FreeDeploymentsCount'];
export type DeploymentPatchRequest = components['schemas']['DeploymentPatchRequest'];
export type AgentKeyRotated = components['schemas']['AgentKeyRotated'];
export type DeploymentStates = components['schemas']['DeploymentStates'];
export type DeploymentRuntime = components['schemas']['DeploymentRuntime'];
export type DomainsList = components['schemas']['DomainsList'];
export type Domain = components['schemas']['Domain'];
export type DomainCertificate = components['schemas']['DomainCertificate'];
export type DomainCreateRequest = components['schemas']['DomainCreateRequest'];
export type DomainCertificateRequest = components['schemas']['DomainCertificateRequest'];
export type RevisionsList = components['schemas']['RevisionsList'];
export type Revision = components['schemas']['Revision'];
export type RevisionStatus = components['schemas']['RevisionStatus'];
export type ParkedThreads = components['schemas']['ParkedThreads'];
export type RevisionHistory = components['schemas']['RevisionHistory'];
export type RevisionHistoryEntry = components['schemas']['RevisionHistoryEntry'];
export type RevisionChanges = components['schemas']['RevisionChanges'];
export type RevisionCreateRequest = components['schemas']['RevisionCreateRequest'];
export type RevisionComparison = components['schemas']['RevisionComparison'];
export type SourceChanges = components['schemas']['SourceChanges'];
export type FileChange = components['schemas']['FileChange'];
export type PackageChange = components['schemas']['PackageChange'];
export type RollbackRequest = components['schemas']['RollbackRequest'];
export type Logs = components['schemas']['Logs'];
export type LogEntry = components['schemas']['LogEntry'];
export type LogsRequest = components['schemas']['LogsRequest'];
export type DeploymentLogEntriesList = components['schemas']['DeploymentLogEntriesList'];
export type UploadUrl = components['schemas']['UploadUrl'];
export type PushToken = components['schemas']['PushToken'];
export type PushTokenRequest = components['schemas']['PushTokenRequest'];
export type PushWebhook = components['schemas']['PushWebhook'];
export type ListenersList = components['schemas']['ListenersList'];
export type Listener = components['schemas']['Listener'];
export type ListenerCreated = components['schemas']['ListenerCreated'];
export type ListenerCreateRequest = components['schemas']['ListenerCreateRequest'];
export type ListenerPatchRequest = components['schemas']['ListenerPatchRequest'];
export type ListenerKey = components['schemas']['ListenerKey'];
export type GithubIntegration = components['schemas']['GithubIntegration'];
export type GithubRepository = components['schemas']['GithubRepository'];
export type InstallationLink = components['schemas']['InstallationLink'];
export type InstallationLinkRequest = components['schemas']['InstallationLinkRequest'];
export type OAuthProviderResponse = components['schemas']['OAuthProviderResponse'];
export type McpoAuthProviderCreateRequest = components['schemas']['MCPOAuthProviderCreateRequest'];
export type OAuthProviderCreateRequest = components['schemas']['OAuthProviderCreateRequest'];
export type OAuthProviderUpdateRequest = components['schemas']['OAuthProviderUpdateRequest'];
export type OAuthProviderDeleted = components['schemas']['OAuthProviderDeleted'];
export type AuthAuthenticateResponse = components['schemas']['AuthAuthenticateResponse'];
export type AuthAuthenticateRequest = components['schemas']['AuthAuthenticateRequest'];
export type AuthWaitResponse = components['schemas']['AuthWaitResponse'];
export type OAuthFinalized = components['schemas']['OAuthFinalized'];
export type OAuthFinalizeRequest = components['schemas']['OAuthFinalizeRequest'];
export type OAuthTokenSummary = components['schemas']['OAuthTokenSummary'];
export type OAuthTokensDeleted = components['schemas']['OAuthTokensDeleted'];
export type OAuthTokenStatusResponse = components['schemas']['OAuthTokenStatusResponse'];
export type OAuthTokenUpdateRequest = components['schemas']['OAuthTokenUpdateRequest'];
export type OAuthTokenEvent = components['schemas']['OAuthTokenEvent'];
export type AgentConnectionListResponse = components['schemas']['AgentConnectionListResponse'];
export type AgentConnectionResponse = components['schemas']['AgentConnectionResponse'];
export type CreateAgentConnectionRequest = components['schemas']['CreateAgentConnectionRequest'];
export type Me = components['schemas']['Me'];
export type WorkspacesList = components['schemas']['WorkspacesList'];
export type Workspace = components['schemas']['Workspace'];
export type WorkspaceRequest = components['schemas']['WorkspaceRequest'];
export type ApiKeysList = components['schemas']['ApiKeysList'];
export type ApiKey = components['schemas']['ApiKey'];
export type Role = components['schemas']['Role'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type ApiKeyCreateRequest = components['schemas']['ApiKeyCreateRequest'];
export type AuditEntriesList = components['schemas']['AuditEntriesList'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type EncryptionKeyRotated = components['schemas']['EncryptionKeyRotated'];
export type SignInLink = components['schemas']['SignInLink'];
export type SessionsList = components['schemas']['SessionsList'];
export type DeploymentFigures = components['schemas']['DeploymentFigures'];
export type FigurePoint = components['schemas']['FigurePoint'];
export type FigurePercentiles = components['schemas']['FigurePercentiles'];
export type WorkspaceFigures = components['schemas']['WorkspaceFigures'];
export type DeploymentAtAGlance = components['schemas']['DeploymentAtAGlance'];
export type InstallationFigures = components['schemas']['InstallationFigures'];
export type $defs = Record<string, never>;
export interface operations {
    receive_upload_v2_uploads__deployment_id___file__put: {
        parameters: {
            query?: {
                expires?: number;
                signature?: string;
            };
            header?: never;
            path: {
                deployment_id: string;
                file: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": Blob;
            };
        };
        responses: {
            /** @description It has arrived. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    fetch_artifact_internal_artifacts__revision_id___digest__get: {
        parameters: {
            query?: {
                expires?: number;
                signature?: string;
            };
            header?: never;
            path: {
                revision_id: string;
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder as a .tar.gz. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": Blob;
                };
            };
            /** @description It lies in a store, at the address in `location`, for some minutes. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    bring_built_internal_builds__revision_id___digest__put: {
        parameters: {
            query?: {
                expires?: number;
                signature?: string;
            };
            header?: never;
            path: {
                revision_id: string;
                digest: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": Blob;
            };
        };
        responses: {
            /** @description It has arrived. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    exchange_internal_listener_exchange_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListenerReport"];
            };
        };
        responses: {
            /** @description All that the listener is to do, at once or within half a minute. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenerOrders"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    caller_internal_listener_caller_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListenerCallerRequest"];
            };
        };
        responses: {
            /** @description Whose it is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenerCaller"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    ask_for_domain_internal_domains_ask_get: {
        parameters: {
            query: {
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainAsked"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    receive_push_v2_pushes__deployment_id__post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was understood; a revision was made, or the reason why none was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushOutcome"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    start_oauth_v2_auth_start__auth_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                auth_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that says what has become of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description It was there, and is not there any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    continue_oauth_v2_auth_start__auth_id__post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                auth_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the provider. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description It was there, and is not there any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    oauth_callback_get_v2_auth_callback__provider_id__get: {
        parameters: {
            query?: {
                code?: string;
                state?: string;
                error?: string;
                error_description?: string;
                iss?: string;
            };
            header?: never;
            path: {
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that says what has become of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description It was there, and is not there any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    oauth_callback_v2_auth_callback__provider_id__post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OAuthFinalizeRequest"];
            };
        };
        responses: {
            /** @description The token is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthFinalized"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description It was there, and is not there any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    oauth_setup_callback_v2_auth_setup__provider_id__get: {
        parameters: {
            query?: {
                code?: string;
                state?: string;
                error?: string;
                error_description?: string;
                iss?: string;
                setup_action?: string;
                installation_id?: number;
            };
            header?: never;
            path: {
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that says what has become of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description It was there, and is not there any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    get_session_v2_session_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    create_session_v2_session_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    end_session_v2_session_delete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    get_sign_in_ways_v2_session_ways_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ways. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInWays"];
                };
            };
        };
    };
    begin_oidc_v2_session_oidc_get: {
        parameters: {
            query?: {
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the issuer. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    finish_oidc_v2_session_oidc_callback_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in: to the page that was asked for. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page that says why not. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says why not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says why not. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says why not. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A page that says why not. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    list_deployments_v2_deployments_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                name?: string;
                name_contains?: string;
                status?: string;
                deployment_type?: string;
                deployment_ids?: string;
                image_version?: string;
                tag_value_ids?: string;
                agent_id?: string;
                agent_environment?: string;
                remote_reconciled?: "0" | "1" | "true" | "false" | "True" | "False";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deployments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentsList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_deployment_v2_deployments_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeploymentCreateRequest"];
            };
        };
        responses: {
            /** @description The deployment, with its first revision for source github. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_deployments_v2_deployments_delete: {
        parameters: {
            query: {
                deployment_ids: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them are being deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDeletion"];
                };
            };
            /** @description Some of them are being deleted. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDeletion"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    count_free_deployments_v2_deployments_free_count_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many there are. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FreeDeploymentsCount"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    get_deployment_v2_deployments__deployment_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_deployment_v2_deployments__deployment_id__delete: {
        parameters: {
            query?: {
                delete_tracing_project?: "0" | "1" | "true" | "false" | "True" | "False";
            };
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is being deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    patch_deployment_v2_deployments__deployment_id__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeploymentPatchRequest"];
            };
        };
        responses: {
            /** @description The deployment as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    rotate_agent_key_v2_deployments__deployment_id__agent_key_rotate_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revision whose agents get the next key, if one was made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentKeyRotated"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_deployment_states_v2_deployment_states_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentStates"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    get_deployment_runtime_v2_deployments__deployment_id__runtime_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentRuntime"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_domains_v2_deployments__deployment_id__domains_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them: there are 20 at most. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainsList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    add_domain_v2_deployments__deployment_id__domains_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainCreateRequest"];
            };
        };
        responses: {
            /** @description The domain. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    remove_domain_v2_deployments__deployment_id__domains__host__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is not answered there any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    set_certificate_v2_deployments__deployment_id__domains__host__certificate_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                host: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainCertificateRequest"];
            };
        };
        responses: {
            /** @description The domain, without the key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    remove_certificate_v2_deployments__deployment_id__domains__host__certificate_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The installation's certificate is shown there from now on. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_revisions_v2_deployments__deployment_id__revisions_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                status?: string;
                remote_reconciled?: "0" | "1" | "true" | "false" | "True" | "False";
            };
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of revisions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionsList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_deployment_revision_v2_deployments__deployment_id__revisions_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevisionCreateRequest"];
            };
        };
        responses: {
            /** @description The revision. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_revision_history_v2_deployments__deployment_id__revision_history_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the history. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionHistory"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    interrupt_revision_v2_deployments__deployment_id__revisions__revision_id__interrupt_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is interrupted; the next in line may begin. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    interrupt_revision_v2_deployments__deployment_id__revisions__revision_id__interruption_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is interrupted; the next in line may begin. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_revision_v2_deployments__deployment_id__revisions__revision_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_revision_changes_v2_deployments__deployment_id__revisions__revision_id__changes_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionComparison"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    redeploy_revision_v2_deployments__deployment_id__revisions__revision_id__redeploy_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment with its new revision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    rollback_deployment_v2_deployments__deployment_id__rollback_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RollbackRequest"];
            };
        };
        responses: {
            /** @description The new revision, made from the older one. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_build_logs_v1_projects__project_id__revisions__revision_id__build_logs_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LogsRequest"];
            };
        };
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logs"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_revision_deploy_logs_v1_projects__project_id__revisions__revision_id__deploy_logs_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LogsRequest"];
            };
        };
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logs"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_deploy_logs_v1_projects__project_id__deploy_logs_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LogsRequest"];
            };
        };
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logs"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_revision_logs_v2_deployments__deployment_id__revisions__revision_id__logs_get: {
        parameters: {
            query: {
                type: "build" | "deploy";
                order?: "asc" | "desc";
                limit?: number;
                offset?: string;
                query?: string;
                level?: "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL";
                start_time?: string;
                end_time?: string;
                run_id?: string;
            };
            header?: never;
            path: {
                deployment_id: string;
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logs"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_deployment_log_entries_v2_deployment_logs_get: {
        parameters: {
            query: {
                deployment_id: string;
                revision_id?: string;
                log_type?: "BUILD" | "DEPLOY";
                sort_order?: "asc" | "desc";
                page_size?: number;
                cursor?: string;
                query?: string;
                level?: "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL";
                start_time?: string;
                end_time?: string;
                run_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentLogEntriesList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_upload_url_v2_deployments__deployment_id__upload_url_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where to PUT a .tar.gz of up to 200 MiB within an hour, and its source_tarball_path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadUrl"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_push_token_v2_deployments__deployment_id__push_token_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PushTokenRequest"];
            };
        };
        responses: {
            /** @description The login, and where images of this deployment lie: below `registry_url`, by default in `repository_url`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushToken"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_push_webhook_v2_deployments__deployment_id__push_webhook_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URL, and a secret that is shown once and replaces the one before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushWebhook"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_push_webhook_v2_deployments__deployment_id__push_webhook_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret does not work any longer. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_listeners_v2_listeners_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of listeners. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenersList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_listener_v2_listeners_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListenerCreateRequest"];
            };
        };
        responses: {
            /** @description The listener, with its key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenerCreated"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_listener_v2_listeners__listener_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                listener_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The listener. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listener"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_listener_v2_listeners__listener_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                listener_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    patch_listener_v2_listeners__listener_id__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                listener_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListenerPatchRequest"];
            };
        };
        responses: {
            /** @description The listener as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listener"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_listener_key_v2_listeners__listener_id__key_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                listener_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenerKey"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    revoke_listener_key_v2_listeners__listener_id__key_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                listener_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has none. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_github_integrations_v1_integrations_github_install_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description None: Runyard has no GitHub App. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GithubIntegration"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    list_forge_github_integrations_v1_integrations_forge_github_install_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description None: Runyard has no GitHub App. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GithubIntegration"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    list_github_repositories_v1_integrations_github__integration_id__repos_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repositories that the installation may read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GithubRepository"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_forge_github_repositories_v1_integrations_forge_github__integration_id__repos_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repositories that the installation may read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GithubRepository"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_installation_link_v2_integrations_forge_github_installation_link_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InstallationLinkRequest"];
            };
        };
        responses: {
            /** @description The link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationLink"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_oauth_providers_v2_auth_providers_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By slug. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthProviderResponse"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    create_oauth_provider_v2_auth_providers_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OAuthProviderCreateRequest"];
            };
        };
        responses: {
            /** @description Without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthProviderResponse"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_platform_oauth_providers_v2_auth_platform_providers_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By slug. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthProviderResponse"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    create_mcp_oauth_provider_v2_auth_providers_mcp_discover_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MCPOAuthProviderCreateRequest"];
            };
        };
        responses: {
            /** @description Without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthProviderResponse"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_oauth_provider_v2_auth_providers__provider_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthProviderResponse"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_oauth_provider_v2_auth_providers__provider_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthProviderDeleted"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    update_oauth_provider_v2_auth_providers__provider_id__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OAuthProviderUpdateRequest"];
            };
        };
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthProviderResponse"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    authenticate_v2_auth_authenticate_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthAuthenticateRequest"];
            };
        };
        responses: {
            /** @description The token, or what is to be done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAuthenticateResponse"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    wait_for_auth_completion_v2_auth_wait__auth_id__get: {
        parameters: {
            query?: {
                timeout?: number;
            };
            header?: never;
            path: {
                auth_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What has become of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthWaitResponse"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description It was there, and is not there any more. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            /** @description There were too many before; `retry-after` says when to come again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Another server does not answer; the same request may be sent again. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    list_oauth_tokens_for_user_v2_auth_tokens_get: {
        parameters: {
            query?: {
                provider_id?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order created. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthTokenSummary"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_oauth_tokens_for_user_v2_auth_tokens_delete: {
        parameters: {
            query: {
                provider_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthTokensDeleted"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    check_oauth_token_exists_v2_auth_tokens_exists_get: {
        parameters: {
            query: {
                provider_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether there is one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthTokenStatusResponse"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    check_workspace_slack_tokens_exist_v2_auth_tokens_workspace_slack_exists_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether there is one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthTokenStatusResponse"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    revoke_all_slack_tokens_for_workspace_v2_auth_tokens_workspace_slack_delete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                    };
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    delete_tokens_of_user_v2_auth_tokens_workspace_users__user_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                    };
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_single_oauth_token_v2_auth_tokens__token_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    update_token_label_v2_auth_tokens__token_id__metadata_patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OAuthTokenUpdateRequest"];
            };
        };
        responses: {
            /** @description As it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthTokenSummary"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_oauth_token_events_v2_auth_token_events_get: {
        parameters: {
            query?: {
                provider_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthTokenEvent"][];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_connections_v2_auth_agents__agent_id__connections_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentConnectionListResponse"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_connection_v2_auth_agents__agent_id__connections_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAgentConnectionRequest"];
            };
        };
        responses: {
            /** @description The connection. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentConnectionResponse"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    remove_connection_v2_auth_agents__agent_id__connections__connection_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                connection_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_me_v2_me_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whom the key or the token belongs to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    list_workspaces_v2_workspaces_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of workspaces. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspacesList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_workspace_v2_workspaces_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceRequest"];
            };
        };
        responses: {
            /** @description The workspace. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_workspace_v2_workspaces__workspace_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workspace. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    delete_workspace_v2_workspaces__workspace_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    rename_workspace_v2_workspaces__workspace_id__patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspaceRequest"];
            };
        };
        responses: {
            /** @description The workspace as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_api_keys_v2_api_keys_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                workspace_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeysList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    create_api_key_v2_api_keys_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyCreateRequest"];
            };
        };
        responses: {
            /** @description The key, shown this once. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description Cannot be done so */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The body is compressed */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    get_api_key_v2_api_keys__api_key_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is known of it, without the key itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    revoke_api_key_v2_api_keys__api_key_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is refused from now on. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    list_audit_entries_v2_audit_log_get: {
        parameters: {
            query?: {
                actor_id?: string;
                action?: string;
                target_id?: string;
                since?: string;
                until?: string;
                text?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntriesList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    export_audit_log_v2_audit_log_export_get: {
        parameters: {
            query?: {
                actor_id?: string;
                action?: string;
                target_id?: string;
                since?: string;
                until?: string;
                text?: string;
                format?: "jsonl" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                    "text/csv": string;
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    rotate_encryption_key_v2_encryption_key_rotate_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many sealed texts were sealed anew. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EncryptionKeyRotated"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The name is taken, or the thing is being deleted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    create_sign_in_link_v2_session_link_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            /** @description The request does not fit the source, or names what is reserved. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    list_sessions_v2_sessions_get: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description For admins: the sessions of all users of the workspace. */
                all?: "0" | "1" | "true" | "false" | "True" | "False";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The own ones, the last used first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsList"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    revoke_session_v2_sessions__session_id__delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_deployment_figures_v2_deployments__deployment_id__figures_get: {
        parameters: {
            query?: {
                /** @description Default: an hour before the end. */
                from?: string;
                /** @description Default: now. */
                to?: string;
                /** @description In seconds; rounded up to whole kept ones. Default: about 120 points. */
                step?: number;
            };
            header?: never;
            path: {
                deployment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A point for each step. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentFigures"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description There is no such thing in the workspace. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_workspace_figures_v2_figures_get: {
        parameters: {
            query?: {
                /** @description Default: an hour before the end. */
                from?: string;
                /** @description Default: now. */
                to?: string;
                /** @description In seconds; rounded up to whole kept ones. Default: about 120 points. */
                step?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All together, and each. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceFigures"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_installation_figures_v2_installation_figures_get: {
        parameters: {
            query?: {
                /** @description Default: an hour before the end. */
                from?: string;
                /** @description Default: now. */
                to?: string;
                /** @description In seconds; rounded up to whole kept ones. Default: about 120 points. */
                step?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All together, and the control plane. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationFigures"];
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
    read_metrics_metrics_get: {
        parameters: {
            query?: {
                format?: "prometheus" | "json";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description For Prometheus, or with `format=json` the same by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description There is no API key, or it is unknown. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The API key may not do this. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description The request does not validate. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
        };
    };
}

/** The statuses at which a rollout has ended. */
export const TERMINAL_REVISION_STATUSES: readonly RevisionStatus[] = ["CREATE_FAILED","BUILD_FAILED","DEPLOY_FAILED","DEPLOYED","SKIPPED","INTERRUPTED","UNKNOWN"]
