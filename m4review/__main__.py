from m4review.cli.main import main

if __name__ == "__main__":
    main()
