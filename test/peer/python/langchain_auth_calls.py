"""Every call of `langchain-auth`: `langchain_auth_calls.py URL KEY PROVIDER` prints what they answer as JSON.

`PROVIDER` is the JSON of the provider to create. Prints the link on stderr, and waits for the consent.
"""
import asyncio
import json
import sys
from dataclasses import asdict, is_dataclass

from langchain_auth import Client

URL, KEY, PROVIDER = sys.argv[1:]
SCOPES = ["openid", "read"]


def plain(value):
    if is_dataclass(value):
        return asdict(value)
    return value.model_dump() if hasattr(value, "model_dump") else dict(vars(value))


async def main():
    client = Client(api_key=KEY, api_url=URL)
    request = json.loads(PROVIDER)
    slug = request["provider_id"]
    created = await client.create_oauth_provider(**request)
    got = await client.get_oauth_provider(slug)
    updated = await client.update_oauth_provider(slug, name="Acme of ours")
    listed = await client.list_oauth_providers()
    pending = await client.authenticate(slug, SCOPES, user_id="anna")
    before = await client.check_token_exists(slug)
    try:
        await client.wait_for_completion(pending.auth_id, timeout=1)
        late = None
    except TimeoutError as error:
        late = str(error)
    print(f"Open {pending.url}", file=sys.stderr, flush=True)
    waited = await client.wait_for_completion(pending.auth_id, timeout=60)
    completed = await client.authenticate(slug, SCOPES, user_id="anna")
    after = await client.check_token_exists(slug)
    revoked = await client.revoke_tokens(slug)
    gone = await client.check_token_exists(slug)
    deleted = await client.delete_oauth_provider(slug)
    return {
        "created": plain(created)["provider_id"],
        "same": plain(got) == plain(created),
        "updated": plain(updated)["name"],
        "listed": [plain(one)["provider_id"] for one in listed],
        "pending": plain(pending)["status"],
        "exists": [plain(one)["has_token"] for one in (before, after, gone)],
        "late": late,
        "same_token": plain(waited)["token"] == plain(completed)["token"],
        "completed": plain(completed)["status"],
        "revoked": plain(revoked),
        "deleted": plain(deleted)["message"],
    }


print(json.dumps(asyncio.run(main()), default=str))
